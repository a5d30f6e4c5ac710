import Foundation
import Testing

extension Integration {
    /// A client that was away resumes from its state, even after the daemon crashed, or is notified if that is impossible.
    struct ResumeTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            try daemon.succeed("create", "tasks")
            try daemon.succeed("section", "add", "tasks", "s")
            // From here on the list is not only in SQLite's log.
            try restart(after: SIGTERM)
        }

        private func restart(after signal: Int32) throws {
            daemon.program.signal(signal)
            #expect(try daemon.program.wait() == (signal == SIGTERM ? 0 : 128 + signal))
            try daemon.restart()
        }

        private func append(_ items: String...) throws {
            for item in items { try daemon.succeed("append", "tasks", item) }
        }

        /// Returns the list's current epoch.
        private func epoch() throws -> String {
            let reply = try daemon.connect().reply(to: #"{"id":1,"method":"snapshot","params":{"list":"tasks"}}"#)
            let rest = try #require(reply.components(separatedBy: #""epoch":""#).dropFirst().first)
            return String(rest.prefix { $0 != "\"" })
        }

        /// Returns the reply to a resumed subscription, and the next line.
        private func resume(_ epoch: String, _ revision: Int) throws -> (reply: String, line: String) {
            let client = try daemon.connect()
            let reply = try client.reply(
                to: #"{"id":1,"method":"subscribe","params":{"list":"tasks","since":{"epoch":"\#(epoch)","#
                    + #""revision":\#(revision)}}}"#)
            let line = try client.line()
            #expect(client.isSilent())
            return (reply, line ?? "nothing")
        }

        @Test(arguments: [SIGTERM, SIGKILL])
        func `one difference leads from before a restart to now, however the daemon ended`(signal: Int32) throws {
            let epoch = try epoch()
            try append("a", "b", "c")
            for _ in 0..<2 { try restart(after: signal) }
            try append("d")
            let (reply, line) = try resume(epoch, 2)
            #expect(reply.contains(#""revision":5,"resumed":true"#), "\(reply)")
            #expect(
                line.contains(
                    #""from":2,"revision":5,"operations":[{"op":"insertItems","section":"s","after":"a","#
                        + #""items":[{"id":"b"},{"id":"c"},{"id":"d"}]}]"#), "\(line)")
            #expect(daemon.program.complaints.components(separatedBy: "epoch").count == 1)
        }

        @Test(arguments: [SIGTERM, SIGKILL])
        func `the past is told, read and undone after a restart`(signal: Int32) throws {
            try append("a", "b")
            let before = try daemon.succeed("log", "tasks", "--json")
            #expect(before.contains("diffablectl"))
            try restart(after: signal)
            #expect(try daemon.succeed("log", "tasks", "--json") == before)
            try daemon.succeed("undo", "tasks")
            let items = try daemon.connect().reply(to: #"{"id":1,"method":"snapshot","params":{"list":"tasks"}}"#)
            #expect(items.contains(#""items":[{"id":"a"}]"#), "\(items)")
        }

        @Test func `changes that were lost lead to a reset, also when the list has grown again`() throws {
            let epoch = try epoch()
            try append("a", "b")
            daemon.program.end(with: SIGKILL)
            try FileManager.default.removeItem(atPath: daemon.directory.file("state/lists.sqlite-wal"))
            try daemon.restart()
            #expect(daemon.program.complaints.contains("error: the database is not as it was"))
            try append("x", "y", "z")
            for revision in 1...3 {
                let (reply, line) = try resume(epoch, revision)
                #expect(reply.contains(#""resumed":false"#), "\(reply)")
                #expect(line.contains(#""reason":"epoch""#) && line.contains(#"{"id":"z"}"#), "\(line)")
            }
        }

        @Test func `a backup that was put back leads to a reset`() throws {
            try append("a")
            let epoch = try epoch()
            daemon.program.signal(SIGTERM)
            _ = try daemon.program.wait()
            let state = daemon.directory.file("state")
            try FileManager.default.copyItem(atPath: state, toPath: state + ".backup")
            try daemon.restart()
            try append("b")
            daemon.program.signal(SIGTERM)
            _ = try daemon.program.wait()
            try FileManager.default.removeItem(atPath: state)
            try FileManager.default.moveItem(atPath: state + ".backup", toPath: state)
            try daemon.restart()
            #expect(daemon.program.complaints.contains("was copied or changed since the daemon wrote it"))
            try append("c")
            #expect(try resume(epoch, 3).line.contains(#""reason":"epoch""#))
        }
    }
}
