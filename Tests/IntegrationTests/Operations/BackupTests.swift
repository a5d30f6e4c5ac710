import Foundation
import Synchronization
import Testing

extension Integration {
    /// `backup` and `restore`, while the daemon is running.
    struct BackupTests {
        private let daemon: Daemon
        private var file: String { daemon.directory.file("lists.backup") }

        init() throws {
            daemon = try Daemon()
            try daemon.succeed("apply", "tasks", "--create", "-q", input: "milk\nbread\n")
        }

        private func state(of list: String, on daemon: Daemon, at revision: Int? = nil) throws -> String {
            let at = revision.map { #","at":\#($0)"# } ?? ""
            let reply = try daemon.connect()
                .reply(to: #"{"id":1,"method":"snapshot","params":{"list":"\#(list)"\#(at)}}"#)
            let match = try #require(reply.firstMatch(of: #/"snapshot":.*/#), "\(reply)")
            return String(match.0)
        }

        @Test func `what is restored into another daemon is what was backed up`() throws {
            try daemon.succeed(
                "apply", "outline", "--create", "--from", "tree", "-q", input: "fruit\n  apple\n    red\n  pear\n")
            try daemon.succeed("expand", "outline", "fruit", "-q")
            try daemon.succeed("chmod", "640", "outline")
            // Longer than a line, so that it is sent in parts; with contents that are escaped.
            let rows = (1...5_000).map { #"{"id":"\#($0)","text":"ünïcode \"\#($0)\""}"# }.joined(separator: "\n")
            try daemon.succeed("apply", "long", "--create", "--from", "ndjson", "-q", input: rows)
            try daemon.succeed("create", "empty")
            try daemon.succeed("create", "bar", "--volatile")
            try daemon.succeed("copy", "tasks", "gone")
            try daemon.succeed("delete", "gone")
            #expect(try daemon.succeed("backup", file) == "\(file): 4 lists, 5,006 items\n")
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
            let names = try FileManager.default.contentsOfDirectory(atPath: daemon.directory.path)
            #expect(!names.contains { $0.contains("unfinished") })
            let other = try Daemon()
            #expect(try other.succeed("restore", file) == "restored 4 lists, 5,006 items\n")
            for list in ["tasks", "outline", "long", "empty"] {
                #expect(try state(of: list, on: other) == state(of: list, on: daemon), "\(list)")
            }
            #expect(try !other.succeed("ls").contains("bar"), "it would be gone after a restart as well")
            #expect(try other.succeed("ls", "-l").contains(#/rw-r-----.*outline/#))
            #expect(try other.companion("undelete", "gone").status == 6)
            // It is on disk.
            other.program.end(with: SIGKILL)
            try other.restart()
            for list in ["tasks", "outline", "long"] {
                #expect(try state(of: list, on: other) == state(of: list, on: daemon), "\(list)")
            }
            // The same again, from the restored lists.
            let again = other.directory.file("again")
            try other.succeed("backup", again)
            func requests(in file: String) throws -> [Substring] {
                try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").dropFirst().dropLast()
            }
            #expect(try requests(in: again) == requests(in: file))
        }

        @Test func `under load a backup is of one moment, over all lists`() throws {
            try daemon.succeed("apply", "first", "--create", "-q", input: "0\n")
            try daemon.succeed("apply", "second", "--create", "-q", input: "0\n")
            for round in 1...4 {
                let file = daemon.directory.file("backup-\(round)")
                try whileChanged(round) { try daemon.succeed("backup", file) }
                // Nothing changes afterwards, so the history does not exceed its limit.
                let other = try Daemon()
                try other.succeed("restore", file)
                let trailer = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").last ?? ""
                var counts: [Int] = []
                for list in ["first", "second"] {
                    let match = try #require(
                        trailer.firstMatch(
                            of: try Regex("\"list\":\"\(list)\",\"epoch\":\"[^\"]*\",\"revision\":([0-9]+)")))
                    let revision = try #require(Int(match[1].substring ?? ""))
                    counts.append(revision)
                    let restored = try state(of: list, on: other)
                    #expect(try restored == state(of: list, on: daemon, at: revision), "\(list) at \(revision)")
                }
                // One client made them one after the other.
                #expect(counts[0] - counts[1] == 0 || counts[0] - counts[1] == 1, "\(counts)")
                #expect(counts[1] > round)
            }
        }

        /// Runs the body while another client changes both lists, one after the other, and has begun to.
        private func whileChanged(_ round: Int, _ body: () throws -> Void) throws {
            let writer = PairWriter(on: daemon.socket, round: round)
            defer { writer.stop() }
            try eventually("changes of both lists") { writer.pairs > 5 ? () : nil }
            try body()
        }

        @Test func `lists that are there are replaced only when that is asked for`() throws {
            try daemon.succeed("backup", file)
            try daemon.succeed("append", "tasks", "more", "-q")
            try daemon.succeed("create", "own")
            let before = try state(of: "tasks", on: daemon)
            let answer = try daemon.companion("restore", file)
            #expect(answer.status == 5)
            #expect(
                answer.complaints.contains(
                    #"there is already a list "tasks", and nothing was restored; replace it with --replace, or "#))
            #expect(answer.complaints.contains("--replace"))
            #expect(try state(of: "tasks", on: daemon) == before)
            #expect(try daemon.succeed("restore", file, "--replace") == "restored 1 list, 2 items\n")
            #expect(try state(of: "tasks", on: daemon) != before)
            #expect(try daemon.succeed("ls").contains("own"), "what is not in the backup stays")
        }

        @Test func `those who follow a list that is replaced start over with it, and go on`() throws {
            try daemon.succeed("backup", file)
            try daemon.succeed("append", "tasks", "more", "-q")
            let subscriber = try daemon.connect()
            try subscriber.send("subscribe tasks")
            let first = try #require(try subscriber.lines(until: #""method":"reset""#).last)
            try daemon.succeed("restore", file, "--replace")
            let line = try #require(try subscriber.line())
            #expect(line.contains(#""method":"reset""#) && line.contains(#""revision":1,"reason":"epoch""#), "\(line)")
            #expect(!line.contains("more") && line.contains("bread"))
            let epochs = [first, line].map { $0.firstMatch(of: #/"epoch":"([^"]+)"/#)?.1 }
            #expect(epochs[0] != epochs[1])
            try daemon.succeed("append", "tasks", "news", "-q")
            let change = try #require(try subscriber.line())
            #expect(change.contains(#""from":1,"revision":2"#) && change.contains("news"), "\(change)")
            // A client that was away gets a reset too.
            let old = try #require(epochs[0])
            let returning = try daemon.connect()
            try returning.send(
                #"{"id":1,"method":"subscribe","params":{"list":"tasks","since":{"epoch":"\#(old)","revision":2}}}"#)
            #expect(try returning.lines(until: #""method":"reset""#).last?.contains(#""reason":"epoch""#) == true)
        }

        @Test func `a damaged file is refused, and changes nothing`() throws {
            try daemon.succeed("apply", "other", "--create", "-q", input: "a\nb\n")
            try daemon.succeed("backup", file)
            let good = try Data(contentsOf: URL(filePath: file))
            try daemon.succeed("append", "tasks", "more", "-q")
            let before = try daemon.succeed("ls", "--json")
            var damaged: [(Data, String)] = [
                (Data(), "not a backup"), (Data("milk\n".utf8), "not a backup"), (good.dropLast(1), "is incomplete"),
                (good.prefix(good.count / 2), "is incomplete"),
                (Data(good.split(separator: 10).dropLast().joined(separator: [10])) + [10], "is incomplete"),
            ]
            let text = String(decoding: good, as: UTF8.self)
            damaged.append((Data(text.replacing(#""diffabledBackup":1"#, with: #""diffabledBackup":2"#).utf8), "newer"))
            for position in stride(from: 25, to: good.count - 200, by: 37) {
                var bytes = good
                bytes[position] ^= 0x01
                damaged.append((bytes, "damaged"))
            }
            let broken = daemon.directory.file("broken")
            for (bytes, complaint) in damaged.prefix(12) {
                try bytes.write(to: URL(filePath: broken))
                let answer = try daemon.companion("restore", broken, "--replace")
                #expect(answer.status == 2)
                #expect(answer.complaints.contains(complaint), "\(answer.complaints)")
            }
            #expect(try daemon.succeed("ls", "--json") == before)
        }

        @Test func `root sends no request of a backup but those that restore lists`() throws {
            try daemon.succeed("create", "victim")
            try daemon.succeed("backup", file, "tasks")
            let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
            let hostile = [
                #"{"jsonrpc":"2.0","method":"deleteList","params":{"list":"victim","keep":"never"}}"#,
                #"{"jsonrpc":"2.0","id":1,"method":"setAccess","params":{"list":"victim","mode":"0666"}}"#,
                #"{"jsonrpc":"2.0","method":"restore","params":{"list":"a","more":true},"method":"deleteList"}"#,
                #"{"jsonrpc":"2.0","id":1,"method":"restore","params":{"list":"a","operations":[],"more":true}}"#,
                #"{"jsonrpc":"2.0","method":"restore","params":{"replace":true}}"#,
                "delete victim", "[]", "", "{", "\u{0}",
                #"{"method":"restore","params":{"list":"a\u001b[2J","more":true}}"#,
                String(repeating: "[", count: 1_000_000),
            ]
            for line in hostile {
                let before = (lines.dropLast() + [line]).map { "\($0)\n" }.joined()
                let end = #"{"lines":\#(lines.count + 1),"crc32":"\#(crc32(before))","lists":[{"list":"tasks"}]}"#
                let backup = try daemon.directory.write(before + end + "\n", to: "hostile.backup")
                for arguments in [[], ["tasks"]] {
                    let program = try daemon.startCompanion(["restore", backup, "--replace"] + arguments)
                    #expect(try program.wait() == 2, "\(line.prefix(100))")
                    #expect(
                        program.complaints.contains("is damaged: line \(lines.count) is not a part of a list"),
                        "\(program.complaints)")
                }
            }
            #expect(try daemon.succeed("ls", "-l").contains(#/rw-------.*victim/#))
            // The checksum is computed correctly here.
            let before = lines.dropLast().map { "\($0)\n" }.joined()
            let end = #"{"lines":\#(lines.count),"crc32":"\#(crc32(before))","lists":[{"list":"tasks"}]}"#
            try daemon.succeed("restore", daemon.directory.write(before + end + "\n", to: "good.backup"), "--replace")
        }

        /// The checksum in the last line of a backup.
        private func crc32(_ text: String) -> String {
            var sum = UInt32.max
            for byte in text.utf8 {
                sum ^= UInt32(byte)
                for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
            }
            let digits = String(sum ^ .max, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }

        @Test func `what the daemon cannot take of a backup makes it refuse all of it`() throws {
            let client = try daemon.connect()
            func restore(_ lines: [String]) throws -> String {
                for line in lines { try client.send(#"{"method":"restore","params":"# + line + "}") }
                return try client.reply(to: #"{"id":1,"method":"restore","params":{"more":false}}"#)
            }
            let good = #"{"list":"new","operations":[{"op":"appendSections","sections":[{"id":"s"}]}],"more":true}"#
            let twice = try restore([good, good])
            #expect(twice.contains("duplicateSection"), "\(twice)")
            let unread = try restore([good, #"{"list":"newer","operations":[{"op":"appendItms"}],"more":true}"#])
            #expect(unread.contains("appendItems"), "\(unread)")
            let first = try restore([#"{"list":"newer","operations":[{"op":"appendItms"}],"more":true}"#, good])
            #expect(first.contains("appendItems"), "\(first)")
            #expect(
                try client.reply(to: #"{"id":1,"method":"restore","params":{}}"#).contains("takes lists in parts"))
            #expect(try daemon.succeed("ls") == daemon.succeed("ls"))
            #expect(try !daemon.succeed("ls").contains("new"))
            #expect(try restore([good]).contains(#""lists":[{"list":"new","epoch":"#))
            #expect(try restore([]).contains(#""result":{"lists":[]}"#))
        }

        @Test func `a file that is there is not written over unasked`() throws {
            _ = try daemon.directory.write("mine", to: "lists.backup")
            let answer = try daemon.companion("backup", file)
            #expect(answer.status == 2 && answer.complaints.contains("--force"))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
            try daemon.succeed("backup", file, "--force")
            #expect(try daemon.companion("restore", file, "--replace").status == 0)
            let nowhere = try daemon.companion("backup", "/nonexistent/file")
            #expect(nowhere.status == 2 && nowhere.complaints.contains("No such file or directory"))
        }

        @Test func `of a backup with one list beyond the limits nothing is restored`() throws {
            let rows = (1...400).map { "row \($0) " + String(repeating: "x", count: 200) }.joined(separator: "\n")
            try daemon.succeed("apply", "big", "--create", "-q", input: rows)
            try daemon.succeed("backup", file)
            let small = try Daemon(environment: ["DIFFABLED_ITEMS_MAX": "300"])
            try small.succeed("apply", "tasks", "--create", "-q", input: "mine\n")
            let before = try small.succeed("ls", "--json")
            let answer = try small.companion("restore", file, "--replace")
            #expect(answer.status == 1 && answer.complaints.contains("itemsMax"), "\(answer.complaints)")
            #expect(try small.succeed("ls", "--json") == before)
        }
    }
}

/// Changes two lists, one after the other, on its own thread.
private final class PairWriter: Sendable {
    private let state = Mutex((pairs: 0, isOver: false))
    private let ended = DispatchSemaphore(value: 0)

    init(on socket: String, round: Int) {
        Thread { [self] in
            defer { ended.signal() }
            guard let client = try? RawClient(connectingTo: socket) else { return }
            while !state.withLock(\.isOver) {
                for list in ["first", "second"] {
                    let request =
                        #"{"id":1,"method":"transact","params":{"list":"\#(list)","operations":[{"op":"#
                        + #""appendItems","items":[{"id":"n\#(round)-\#(pairs)"}]}]}}"#
                    guard (try? client.reply(to: request)) != nil else { return }
                }
                state.withLock { $0.pairs += 1 }
            }
        }.start()
    }

    var pairs: Int { state.withLock(\.pairs) }

    func stop() {
        state.withLock { $0.isOver = true }
        ended.wait()
    }
}
