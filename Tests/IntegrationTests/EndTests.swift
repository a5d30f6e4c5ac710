import Diffable
import Foundation
import Synchronization
import Testing

extension Integration {
    struct EndTests {
        private func daemonWithLog() throws -> Daemon {
            let daemon = try Daemon()
            try daemon.succeed("create", "log")
            try daemon.succeed("section", "add", "log", "s")
            return daemon
        }

        /// Returns transactions of one item each, to be sent at once.
        private func appends(_ count: Int) -> String {
            (0..<count).map {
                #"{"id":\#($0),"method":"transact","params":{"list":"log","operations":["#
                    + #"{"op":"appendItems","items":[{"id":"\#($0)"}]}]}}"#
            }.joined(separator: "\n")
        }

        /// Counts changes until the connection ends.
        private func changesAnswered(to client: RawClient) throws -> Int {
            var count = 0
            while let reply = try client.line() {
                if reply.contains(#""changed":true"#) { count += 1 }
            }
            return count
        }

        @Test func `SIGTERM finishes what was asked and ends with success`() throws {
            let daemon = try daemonWithLog()
            let client = try daemon.connect()
            try client.send(appends(200))
            _ = try client.line()
            daemon.program.signal(SIGTERM)
            let acknowledged = 1 + (try changesAnswered(to: client))
            #expect(try daemon.program.wait() == 0)
            #expect(!FileManager.default.fileExists(atPath: daemon.socket), "its socket goes with it")
            try daemon.restart()
            let items = try daemon.succeed("show", "log").split(separator: "\n").count - 1
            #expect(items >= acknowledged)
        }

        @Test func `SIGTERM sends subscribers what came of the last requests`() throws {
            let daemon = try daemonWithLog()
            let socket = daemon.socket
            let seen = Mutex((resets: 0, items: 0))
            // This client keeps reading: the daemon waits five seconds for slow readers, and no longer.
            let subscriber = ClientThread("subscriber") {
                let client = try RawClient(connectingTo: socket)
                try client.send("subscribe log")
                var replay = Replay()
                while let line = try client.line() {
                    try replay.receive(line)
                    seen.withLock { $0 = (replay.resets, replay.snapshot.numberOfItems) }
                }
            }
            _ = try eventually("reset") { seen.withLock { $0.resets } > 0 ? true : nil }
            let writer = try daemon.connect()
            try writer.send(appends(800))
            _ = try writer.line()
            daemon.program.signal(SIGTERM)
            let acknowledged = 1 + (try changesAnswered(to: writer))
            try subscriber.wait(until: .now + .seconds(240))
            #expect(seen.withLock { $0.items } == acknowledged)
            #expect(try daemon.program.wait() == 0)
        }

        @Test func `SIGTERM does not wait for subscribers`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "log")
            let subscriber = try daemon.startSocatSubscriber(to: "log")
            _ = try eventually("reset") { subscriber.output.contains("reset") ? true : nil }
            daemon.program.signal(SIGTERM)
            #expect(try daemon.program.wait() == 0)
            #expect(try subscriber.wait() == 0)
        }

        @Test func `a socket that a crash has left is replaced`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "log")
            daemon.program.end(with: SIGKILL)
            #expect(FileManager.default.fileExists(atPath: daemon.socket))
            #expect(try daemon.companion("ls").status == 3)
            try daemon.restart()
            #expect(try daemon.succeed("ls", "--json").contains(#""list":"log""#))
        }

        @Test func `a socket on which a daemon listens is refused`() throws {
            let daemon = try Daemon()
            let second = try Daemon.start(in: daemon.directory, state: daemon.directory.file("other-state"))
            #expect(try second.wait() != 0)
            #expect(second.complaints.contains(daemon.socket))
            try daemon.succeed("ls")
        }

        @Test func `a state directory that a daemon keeps is refused`() throws {
            let daemon = try Daemon()
            let second = try Daemon.start(in: daemon.directory, socket: daemon.directory.file("other-socket"))
            #expect(try second.wait() != 0)
            #expect(second.complaints.contains(daemon.directory.file("state")))
            try daemon.succeed("ls")
        }

        @Test func `a client that only sends gets its answers, and a subscriber is served after its end of input`()
            throws
        {
            let daemon = try Daemon()
            try daemon.succeed("create", "log")
            let sender = try daemon.connect()
            try sender.send("ping\nlists")
            sender.finishSending()
            #expect(try sender.line()?.contains(#""result":{}"#) == true)
            #expect(try sender.line()?.contains(#""list":"log""#) == true)
            #expect(try sender.line() == nil)

            let subscriber = try daemon.connect()
            try subscriber.send("subscribe log")
            subscriber.finishSending()
            _ = try subscriber.lines(until: "reset")
            try daemon.succeed("section", "add", "log", "s")
            _ = try subscriber.lines(until: #""method":"changes""#)
            try daemon.succeed("delete", "log")
            _ = try subscriber.lines(until: "listDeleted")
            #expect(try subscriber.line() == nil, "nothing is left to wait for")
        }
    }
}
