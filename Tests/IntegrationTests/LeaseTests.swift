import Foundation
import Testing

extension Integration {
    /// Leased items are deleted when their connection ends, however it ends.
    struct LeaseTests {
        private func prepare(_ durability: String = "durable") throws -> Daemon {
            let daemon = try Daemon()
            try daemon.succeed("create", "bar", durability == "volatile" ? "--volatile" : "--if-absent")
            try daemon.succeed("section", "add", "bar", "left")
            try daemon.succeed("append", "bar", "fixed")
            return daemon
        }

        private func insertion(_ id: String) -> String {
            #"{"id":1,"method":"transact","params":{"list":"bar","operations":[{"op":"appendItems","#
                + #""items":[{"id":"\#(id)"}]}],"lease":"connection"}}"#
        }

        /// Waits until the list has exactly these items.
        private func expect(_ items: [String], in daemon: Daemon) throws {
            let expected = "left\n" + items.map { "    \($0)\n" }.joined()
            _ = try eventually("bar with \(items)") {
                try daemon.succeed("show", "bar") == expected ? true : nil
            }
        }

        @Test(arguments: ["durable", "volatile"])
        func `a killed client's items vanish in one change that subscribers hear and history tells`(
            durability: String
        ) throws {
            let daemon = try prepare(durability)
            let subscriber = try daemon.connect()
            try subscriber.send("subscribe bar")
            _ = try subscriber.lines(until: #""method":"reset""#)
            // socat is a process of its own; its input stays open.
            let fifo = daemon.directory.file("fifo")
            #expect(mkfifo(fifo, 0o600) == 0)
            let client = try Program(
                "/bin/sh", ["-c", "exec socat -u STDIN UNIX-CONNECT:\(daemon.socket) <\(fifo)"], in: daemon.directory)
            let input = open(fifo, O_WRONLY)
            defer { close(input) }
            for id in ["clock", "battery"] {
                let line = Array((insertion(id) + "\n").utf8)
                #expect(write(input, line, line.count) == line.count)
                _ = try subscriber.lines(until: #"{"id":"\#(id)"}"#)
            }
            try expect(["fixed", "clock", "battery"], in: daemon)
            client.end(with: SIGKILL)
            let change = try #require(try subscriber.line())
            #expect(change.contains(#"[{"op":"deleteItems","items":["clock","battery"]}]"#), "\(change)")
            try expect(["fixed"], in: daemon)
            #expect(try daemon.succeed("log", "bar", "--json").contains(#""operations":1,"name":"lease ended""#))
        }

        @Test func `a client that closes its sending half keeps its lease until its subscription ends`() throws {
            let daemon = try prepare()
            let client = try daemon.connect()
            _ = try client.reply(to: insertion("clock"))
            try client.send("subscribe bar")
            client.finishSending()
            _ = try client.lines(until: #""method":"reset""#)
            usleep(200_000)
            try expect(["fixed", "clock"], in: daemon)
            client.close()
            try expect(["fixed"], in: daemon)
            // Without a subscription the connection ends with its last reply.
            let brief = try daemon.connect()
            try brief.send(insertion("battery"))
            brief.finishSending()
            #expect(try brief.line()?.contains(#""changed":true"#) == true)
            #expect(try brief.line() == nil)
            try expect(["fixed"], in: daemon)
        }

        @Test func `a client that never reads is noticed to be gone`() throws {
            let daemon = try prepare()
            let client = try daemon.connect()
            _ = try client.reply(to: insertion("clock"))
            // Its answers fill the socket, and the daemon stops reading.
            let status = Array(String(repeating: "help\n", count: 2_000).utf8)
            _ = client.sendWhileTaken(status)
            try expect(["fixed", "clock"], in: daemon)
            client.close()
            try expect(["fixed"], in: daemon)
        }

        @Test(arguments: [SIGKILL, SIGTERM])
        func `a restart leaves nothing of what was leased`(signal: Int32) throws {
            let daemon = try prepare()
            let client = try daemon.connect()
            _ = try client.reply(to: insertion("clock"))
            let reply = try client.reply(
                to: #"{"id":1,"method":"createList","params":{"list":"own","lease":"connection"}}"#)
            #expect(reply.contains(#""revision":0"#))
            daemon.program.signal(signal)
            _ = try daemon.program.wait()
            try daemon.restart()
            // The very first state.
            let first = try daemon.connect()
            #expect(try first.reply(to: "snapshot bar").contains(#"{"id":"left","items":[{"id":"fixed"}]}"#))
            #expect(try first.reply(to: "snapshot own").contains("noSuchList"))
            #expect(try daemon.succeed("log", "bar", "--json").contains(#""name":"lease ended"#))
        }

        @Test func `a hundred clients that leave at once take what is theirs`() throws {
            let daemon = try prepare()
            let clients = try (0..<100).map { _ in try daemon.connect() }
            for (number, client) in clients.enumerated() { try client.send(insertion("module-\(number)")) }
            for client in clients { #expect(try client.line()?.contains(#""changed":true"#) == true) }
            for client in clients.dropLast() { client.close() }
            try expect(["fixed", "module-99"], in: daemon)
            clients.last?.close()
            try expect(["fixed"], in: daemon)
        }
    }
}
