import Foundation
import Testing

extension Integration {
    /// Requests sent without waiting for answers.
    struct PipeliningTests {
        /// More than the daemon's limit of open requests for one connection.
        private static let count = 5_000

        private func daemonWithRows(_ count: Int) throws -> Daemon {
            let daemon = try Daemon()
            try daemon.succeed("create", "rows", "--volatile")
            let rows = (1...count).map { #"{"id":"\#($0)","text":"\#(String(repeating: "x", count: 60))"}"# }
            try daemon.succeed("apply", "rows", "--from", "ndjson", input: rows.joined(separator: "\n"))
            return daemon
        }

        @Test func `thousands of requests in one write are all answered, in order`() throws {
            let daemon = try Daemon()
            let client = try daemon.connect()
            try client.send((1...Self.count).map { #"{"id":\#($0),"method":"ping"}"# }.joined(separator: "\n"))
            for number in 1...Self.count {
                #expect(try client.line() == #"{"jsonrpc":"2.0","id":\#(number),"result":{}}"#)
            }
        }

        @Test func `bytes out of band are read in their places`() throws {
            let daemon = try Daemon()
            let client = try daemon.connect()
            for byte in "ping\n".utf8 { client.sendOutOfBand(byte) }
            #expect(try client.line() == #"{"jsonrpc":"2.0","id":null,"result":{}}"#)
            try client.send("ping")
            #expect(try client.line() == #"{"jsonrpc":"2.0","id":null,"result":{}}"#)
        }

        @Test func `what was asked before a half-close is answered after it, and then the connection ends`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks")
            let client = try daemon.connect()
            let section =
                #"{"method":"transact","params":{"list":"tasks","operations":[{"op":"appendSections","#
                + #""sections":[{"id":"s"}]}]}}"#
            let appends = (1...Self.count).map { number in
                #"{"id":\#(number),"method":"transact","params":{"list":"tasks","operations":[{"op":"appendItems","#
                    + #""items":[{"id":"\#(number)"}]}]}}"#
            }
            try client.send(([section] + appends + ["snapshot tasks"]).joined(separator: "\n"))
            client.finishSending()
            for number in 1...Self.count {
                let reply = #"{"jsonrpc":"2.0","id":\#(number),"result":{"list":"tasks","revision":\#(number + 1),"#
                #expect(try client.line()?.hasPrefix(reply) == true)
            }
            #expect(try client.line()?.contains(#""revision":\#(Self.count + 1),"snapshot""#) == true)
            #expect(try client.line() == nil)
        }

        @Test func `a long reply comes whole to a slow reader that has closed its side`() throws {
            let daemon = try daemonWithRows(5_000)
            let client = try daemon.connect()
            try client.send("snapshot rows")
            client.finishSending()
            // Longer than a socket holds; the daemon has finished long before it is read.
            usleep(500_000)
            let reply = try client.line() ?? ""
            #expect(reply.hasSuffix("]}}}") && reply.contains(#""id":"5000""#))
            #expect(try client.line() == nil)
        }

        @Test func `a subscription can be ended in the middle of its reset`() throws {
            let daemon = try daemonWithRows(20_000)
            let client = try daemon.connect()
            try client.send("subscribe rows")
            _ = try client.line()
            _ = try client.line()
            try client.send(#"{"id":2,"method":"unsubscribe","params":{"subscription":1}}"#)
            // Before the reset is read to its end.
            try client.waitUntilTaken()
            let lines = try client.lines(until: #""id":2"#)
            #expect(lines.count < 20, "\(lines.count) lines of about 30")
            #expect(try client.reply(to: "ping") == #"{"jsonrpc":"2.0","id":null,"result":{}}"#)
        }

        @Test func `a client that asks and never reads is held back, and others are served`() throws {
            let daemon = try Daemon()
            let deaf = try daemon.connect()
            let before = daemon.program.residentLength
            // Far more than any socket holds: sending stops when the daemon stops reading.
            let sent = deaf.sendWhileTaken(Array(String(repeating: "help\n", count: 2_000_000).utf8))
            #expect(sent < 10_000_000)
            #expect(try daemon.connect().reply(to: "ping") == #"{"jsonrpc":"2.0","id":null,"result":{}}"#)
            #expect(daemon.program.residentLength - before < 16 << 20)
        }
    }
}
