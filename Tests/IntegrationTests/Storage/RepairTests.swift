import Foundation
import Testing

extension Integration {
    /// The messages about a damaged database, and its repair: docs/storage.md, executed.
    struct RepairTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            try daemon.succeed("create", "good")
            try daemon.succeed("apply", "good", "--from", "lines", input: "milk\nbread\n")
            try daemon.succeed("create", "bad")
            try daemon.succeed("apply", "bad", "--from", "lines", input: "one\ntwo\n")
            try daemon.succeed("apply", "bad", "--from", "lines", input: "one\ntwo\nvictim\n")
        }

        private var state: String { daemon.directory.file("state") }

        private func offline(_ task: String) throws -> (status: Int32, output: String, complaints: String) {
            let program = try Program(Binaries.daemon, [task, "--state-directory", state], in: daemon.directory)
            return (try program.wait(), program.output, program.complaints)
        }

        /// Changes one letter on disk.
        private func damage() throws {
            daemon.program.signal(SIGTERM)
            #expect(try daemon.program.wait() == 0)
            let file = URL(filePath: "\(state)/lists.sqlite")
            var bytes = try Data(contentsOf: file)
            let place = try #require(bytes.range(of: Data("victim".utf8), options: .backwards))
            bytes[place.lowerBound] ^= 1
            try bytes.write(to: file)
            try daemon.restart()
        }

        @Test(.withSeveralUsers) func `a database that root restored is refused at once, with the chown to run`() throws
        {
            daemon.program.signal(SIGTERM)
            #expect(try daemon.program.wait() == 0)
            chmod(daemon.directory.path, 0o755)
            let (alice, home) = (Somebody.alice, daemon.directory.file("alice"))
            try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
            try FileManager.default.moveItem(atPath: state, toPath: home + "/state")
            for path in [home, home + "/state"] { #expect(chown(path, alice.userID, alice.userID) == 0) }
            let (socket, command) = (
                home + "/socket", ["--socket", home + "/socket", "--state-directory", home + "/state"]
            )
            func lists() throws -> (status: Int32, complaints: String) {
                let server = try alice.start(Binaries.daemon, command, in: daemon.directory)
                defer { server.end(with: SIGKILL) }
                _ = try eventually("a socket; \(server.complaints)") { access(socket, F_OK) == 0 ? true : nil }
                let client = try alice.start(
                    Binaries.companion, ["ls"], environment: ["DIFFABLED_SOCKET": socket], in: daemon.directory)
                return (try client.wait(within: 20), client.complaints)
            }
            let refused = try lists()
            #expect(refused.status != 0, "\(refused)")
            let remedy = try #require(refused.complaints.split(separator: "`").first { $0.hasPrefix("chown ") })
            let chown = try Program("/bin/sh", ["-c", String(remedy)], in: daemon.directory)
            #expect(try chown.wait() == 0, "\(chown.complaints)")
            unlink(socket)
            #expect(try lists().status == 0)
        }

        @Test func `a damaged database is refused with what to do, and repaired`() throws {
            try damage()
            // The daemon stays, and answers every request for a list with the reason.
            let client = try daemon.connect()
            for method in ["lists", "snapshot good", "subscribe bad"] {
                let reply = try client.reply(to: method)
                #expect(reply.contains(#""code":18,"#) && reply.contains(#""name":"storageUnreadable""#), "\(reply)")
            }
            #expect(try client.reply(to: "ping").contains("result"))
            #expect(try client.reply(to: "help").contains("methods"))
            #expect(try client.reply(to: #"{"id":1,"method":"hello"}"#).contains("version"))
            #expect(try daemon.succeed("status").contains("refusing: the lists are not served: \(state)/lists.sqlite"))
            let refusal = try daemon.companion("apply", "good", input: "tea\n")
            #expect(refusal.status == 1)
            #expect(refusal.complaints.contains("diffabled --repair --state-directory \(state)"))
            #expect(daemon.program.complaints.contains("critical: refusing every request"))

            // It holds no lock, so this needs no stop; the next start uses the repaired database.
            let check = try offline("--check")
            #expect(check.status == 1)
            #expect(check.output.contains("good: good, 2 items at revision 1\n"), "\(check.output)")
            #expect(check.output.contains("bad: damaged: lost from revision 2 on"))
            let repair = try offline("--repair")
            #expect(repair.status == 0, "\(repair.complaints)")
            #expect(repair.output.contains("good: kept, 2 items at revision 1\n"), "\(repair.output)")
            #expect(repair.output.contains("bad: kept, 2 items at revision 1; lost from revision 2 on"))
            daemon.program.signal(SIGTERM)
            #expect(try daemon.program.wait() == 0)
            let after = try offline("--check")
            #expect(after.status == 0, "\(after.output)")
            try daemon.restart()
            #expect(try daemon.succeed("show", "bad", "--json").contains("two"))
            try daemon.succeed("append", "good", "tea")
        }

        @Test func `a database that is gone is refused with what to do, and can be given up`() throws {
            daemon.program.signal(SIGTERM)
            #expect(try daemon.program.wait() == 0)
            try FileManager.default.removeItem(atPath: "\(state)/lists.sqlite")
            let check = try offline("--check")
            #expect(check.status == 1)
            #expect(check.output.contains("there is no such file"), "\(check.output)")
            #expect(check.output.contains("or restore it from a backup"), "\(check.output)")
            try daemon.restart()
            let reply = try daemon.connect().reply(to: "lists")
            #expect(reply.contains("storageUnreadable") && reply.contains("is missing"), "\(reply)")
            daemon.program.signal(SIGTERM)
            #expect(try daemon.program.wait() == 0)
            let repair = try offline("--repair")
            #expect(repair.status == 0, "\(repair.complaints)")
            #expect(repair.output.contains("no list could be saved"), "\(repair.output)")
            #expect(try offline("--check").status == 0)
            try daemon.restart()
            try daemon.succeed("create", "good")
        }

        @Test func `what is damaged at its beginning is repaired, and what never was a database of ours is not`() throws
        {
            daemon.program.signal(SIGTERM)
            #expect(try daemon.program.wait() == 0)
            let file = URL(filePath: "\(state)/lists.sqlite")
            let whole = try Data(contentsOf: file)
            try (Data(repeating: 0x78, count: 16) + whole.dropFirst(16)).write(to: file)
            try daemon.restart()
            let reply = try daemon.connect().reply(to: "lists")
            #expect(reply.contains("its first page is damaged") && reply.contains("--repair"), "\(reply)")
            daemon.program.signal(SIGTERM)
            #expect(try daemon.program.wait() == 0)
            #expect(try offline("--repair").output.contains("bad: kept, 3 items"))
            try Data(repeating: 0x78, count: 5_000).write(to: file)
            for task in ["--check", "--repair"] {
                let answer = try offline(task)
                #expect(answer.status == 74)
                #expect(answer.complaints.contains("is not a database of diffabled"), "\(answer.complaints)")
            }
            try daemon.restart()
            #expect(try daemon.connect().reply(to: "lists").contains("is not a database of diffabled"))
        }

        @Test func `nothing is checked or repaired while a daemon serves`() throws {
            for task in ["--check", "--repair"] {
                let answer = try offline(task)
                #expect(answer.status == 69)
                #expect(answer.complaints.contains("in use by another diffabled"))
            }
            daemon.program.signal(SIGTERM)
            _ = try daemon.program.wait()
            let check = try offline("--check")
            #expect(check.status == 0, "\(check.output)")
            #expect(try offline("--repair").output.contains("nothing was changed"))
        }

        @Test func `a log that was lost is told by the daemon and by --check, and gives new epochs`() throws {
            let epoch = try epoch(of: "good")
            daemon.program.end(with: SIGKILL)
            try FileManager.default.removeItem(atPath: "\(state)/lists.sqlite-wal")
            #expect(try offline("--check").output.contains("the database lacks changes that were acknowledged"))
            try daemon.restart()
            #expect(daemon.program.complaints.contains("changes are lost"), "\(daemon.program.complaints)")
            let lists = try daemon.connect().reply(to: "lists")
            #expect(!lists.contains(epoch), "\(lists)")
            // The loss is reported until a user acknowledges it.
            daemon.program.end(with: SIGTERM)
            try daemon.restart()
            let loss = "loss: acknowledged changes were lost before "
            let status = try daemon.succeed("status")
            #expect(status.contains(loss) && status.contains("delete \(state)/loss"), "\(status)")
            #expect(try daemon.succeed("status", "--prometheus").contains("\ndiffabled_changes_lost 1\n"))
            try FileManager.default.removeItem(atPath: "\(state)/loss")
            #expect(try !daemon.succeed("status").contains(loss))
            #expect(try daemon.succeed("status", "--prometheus").contains("\ndiffabled_changes_lost 0\n"))
        }

        @Test func `a copy of a running daemon's files without the log is told by --check`() throws {
            func check(_ names: String...) throws -> String {
                let copy = daemon.directory.file("copy-\(UUID().uuidString.prefix(8))")
                try FileManager.default.createDirectory(
                    atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
                for name in names {
                    try FileManager.default.copyItem(atPath: "\(state)/\(name)", toPath: "\(copy)/\(name)")
                }
                let program = try Program(
                    Binaries.daemon, ["--check", "--state-directory", copy], in: daemon.directory)
                _ = try program.wait()
                return program.output
            }
            #expect(try !check("lists.sqlite", "lists.sqlite-wal", "witness").contains("warning"))
            let halved = try check("lists.sqlite", "witness")
            #expect(
                halved.contains("lists.sqlite-wal is missing, although the daemon had the database open"), "\(halved)")
            let alone = try check("lists.sqlite")
            #expect(alone.contains("/witness are missing: if this is a copy"), "\(alone)")
            daemon.program.signal(SIGTERM)
            #expect(try daemon.program.wait() == 0)
            #expect(try !check("lists.sqlite", "witness").contains("warning"))
        }

        private func epoch(of list: String) throws -> String {
            let reply = try daemon.connect().reply(to: "snapshot \(list)")
            return try #require(reply.firstMatch(of: /"epoch":"([^"]*)"/).map { String($0.1) })
        }
    }
}
