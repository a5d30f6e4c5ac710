import Foundation
import Testing

extension Integration {
    struct ReloadTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon(configured: "itemsMax: 2\n")
            try daemon.succeed("create", "tasks")
            try daemon.succeed("section", "add", "tasks", "main")
            try daemon.succeed("append", "tasks", "a", "-q")
            try daemon.succeed("append", "tasks", "b", "-q")
        }

        private func appendingIsRefused() throws -> Bool {
            let answer = try daemon.companion("append", "tasks", "c", "-q")
            if answer.status == 0 { try daemon.succeed("rm", "tasks", "c", "-q") }
            return answer.complaints.contains("itemsMax")
        }

        @Test func `reload takes what the file says now, and names it`() throws {
            #expect(try appendingIsRefused())
            try daemon.configure("itemsMax: 3\nlistsMax: 4\n")
            #expect(try appendingIsRefused(), "not before somebody says so")
            #expect(
                try daemon.succeed("reload")
                    == "read \(daemon.configurationFile) again\nitemsMax has changed\nlistsMax has changed\n")
            #expect(try !appendingIsRefused())
            #expect(try daemon.connect().reply(to: "hello").contains(#""itemsMax":3,"listsMax":4"#))
            #expect(try daemon.succeed("reload") == "read \(daemon.configurationFile) again\nnothing has changed\n")
        }

        @Test(
            arguments: [
                ("itemsMax: 3\nlistsMax: many\n", "listsMax, in line 2 of FILE, is \"many\"; it must be an integer"),
                ("itemsMax: 3\nlistMax: 4\n", "FILE cannot be used: unknown key \"listMax\" in line 2. Did you mean"),
                ("itemsMax: 3\ncontentLengthMax: 1048576\n", "lower contentLengthMax"),
                ("itemsMax: [3\n", "FILE cannot be used"),
            ])
        func `a broken file changes nothing, and whoever asked is told where and what`(
            text: String, complaint: String
        ) throws {
            try daemon.configure(text)
            let answer = try daemon.companion("reload")
            #expect(answer.status == 1)
            let expected = complaint.replacing("FILE", with: daemon.configurationFile)
            #expect(answer.complaints.contains("the configuration stays as it was: "), "\(answer.complaints)")
            #expect(answer.complaints.contains(expected), "\(answer.complaints)")
            #expect(try appendingIsRefused(), "itemsMax stood before the mistake")
            // It logs before it answers, and once.
            func numberOfMentions() -> Int { daemon.program.complaints.components(separatedBy: expected).count - 1 }
            let before = numberOfMentions()
            #expect(before == 1, "\(daemon.program.complaints)")
            daemon.program.signal(SIGHUP)
            _ = try eventually("the log to say so again") { numberOfMentions() > before ? true : nil }
            #expect(try appendingIsRefused())
        }

        @Test func `SIGHUP does the same, and the log says what`() throws {
            try daemon.configure("itemsMax: 3\nlogLevel: warning\n")
            daemon.program.signal(SIGHUP)
            _ = try eventually("the new limit") { try appendingIsRefused() ? nil : true }
            try daemon.configure("itemsMax: 4\nlogLevel: info\n")
            daemon.program.signal(SIGHUP)
            let log = try eventually("the log") {
                daemon.program.complaints.contains("changed: logLevel, itemsMax") ? daemon.program.complaints : nil
            }
            // The first reload used its new level, so it is not in the log.
            #expect(log.components(separatedBy: "read \(daemon.configurationFile) again").count == 2, "\(log)")
        }

        @Test func `a file that was named has to be there`() throws {
            try FileManager.default.removeItem(atPath: daemon.configurationFile)
            let answer = try daemon.companion("reload")
            #expect(answer.status == 1)
            #expect(answer.complaints.contains("\(daemon.configurationFile) cannot be used: No such file or directory"))
            #expect(try appendingIsRefused())
        }

        @Test func `what cannot change while it runs is said to need a restart`() throws {
            let home = daemon.directory.path
            let file = try daemon.directory.write(
                "socket: \(home)/a\nstateDirectory: \(home)/s\n", to: "own.yaml")
            let other = try Program(Binaries.daemon, ["--config", file], in: daemon.directory)
            let client = try eventually("the daemon") { try? RawClient(connectingTo: "\(home)/a") }
            _ = try daemon.directory.write("socket: \(home)/b\nstateDirectory: \(home)/t\n", to: "own.yaml")
            for _ in 1...2 {
                #expect(
                    try client.reply(to: "reload")
                        == #"{"jsonrpc":"2.0","id":null,"result":{"applied":[],"#
                        + #""needRestart":["socket","stateDirectory"],"file":"\#(file)"}}"#)
            }
            other.end(with: SIGTERM)
            #expect(other.exitStatus() == 0)
        }

        @Test(.withSeveralUsers)
        func `only root and the daemon's own user may ask for it`() throws {
            chmod(daemon.directory.path, 0o755)
            #expect(
                try daemon.replies(to: .alice, ["reload"]) == [
                    #"{"jsonrpc":"2.0","id":null,"error":{"code":12,"message":"permission denied: only root and uid 0, "#
                        + #"which the daemon runs as, can use reload","data":{"name":"permissionDenied","reason":"administer"}}}"#
                ])
        }
    }
}
