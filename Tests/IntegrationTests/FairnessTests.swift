import DiffableServer
import Foundation
import Testing

extension Integration {
    /// One client's work must not delay the others.
    @Suite(.alone)
    struct FairnessTests {
        @Test func `a client that sends much at once lets others have their turn`() throws {
            let server = try TestServer()
            try server.succeed("create", "rows", "--volatile")
            // Each line takes some time.
            let rows = (0..<200).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
            let lines = (1...30).map { number in
                #"{"id":\#(number),"method":"transact","params":{"list":"rows","dryRun":true,"operations":["#
                    + #"{"op":"appendSections","sections":[{"id":"s","items":[\#(rows)]}]}]}}"#
            }
            // On a fast machine some 25 of them are answered during one line.
            let taken = try server.linesTaken(of: lines, besideRequests: 300)
            #expect(Set(taken).count > 5, "\(taken)")
            // No reply waits for a third of the lines.
            for (before, now) in zip([0] + taken, taken) { #expect(now - before < 10, "\(taken)") }
        }

        @Test(.withSeveralUsers)
        func `a user with many connections that all send at once lets other users have their turn`() throws {
            let server = try TestServer.forEverybody()
            try server.succeed("create", "rows", "--volatile", "--mode", "0666")
            let client = try server.connect()
            let isGoing = server.directory.file("going")
            let flood = try Somebody.alice.start(
                "/usr/bin/python3", ["-c", Self.flood, server.socket, isGoing], in: server.directory)
            try eventually("connections of the other user") { flood.output.contains("connected") ? () : nil }
            try server.whileLoopStands {
                _ = try server.directory.write("", to: "going")
                try eventually("lines of the other user") { flood.output.contains("sent") ? () : nil }
                try client.send(#"{"id":1,"method":"lists"}"#)
            }
            let reply = try #require(try client.line())
            let match = try #require(reply.firstMatch(of: /"revision":([0-9]+)/))
            let linesTaken = try #require(Int(match.1))
            // Without turns of users, the daemon reads a line of each connection before it replies to any client.
            #expect(linesTaken < 30, "\(reply)")
            try #require(try flood.wait() == 0, "\(flood.complaints)")
        }

        /// Sixty connections with a line each that takes about two milliseconds.
        private static let flood = """
            import os, socket, sys, time
            connections = []
            for _ in range(60):
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(sys.argv[1])
                connection.sendall(b'{"id":1,"method":"ping"}\\n')
                connection.recv(1000)
                connections.append(connection)
            print("connected", flush=True)
            while not os.path.exists(sys.argv[2]): time.sleep(0.01)
            for number, connection in enumerate(connections):
                items = ",".join('{"id":"%d-%d"}' % (number, item) for item in range(4000))
                line = '{"id":2,"method":"transact","params":{"list":"rows","operations":[{"op":"appendSections","sections":['
                connection.sendall((line + '{"id":"%d","items":[%s]}]}]}}\\n' % (number, items)).encode())
            print("sent", flush=True)
            for connection in connections:
                assert b'"result"' in connection.recv(1000)
            """

        @Test(arguments: ["volatile", "durable"])
        func `a connection that ends with many leased items lets others have their turn`(durability: String) throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "bar", durability == "volatile" ? "--volatile" : "--if-absent")
            let (client, other) = (try daemon.connect(), try daemon.connect())
            let count = 40_000
            for first in stride(from: 0, to: count, by: 4_000) {
                let items = (first..<first + 4_000).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
                let reply = try client.reply(
                    to: #"{"id":1,"method":"transact","params":{"list":"bar","lease":"connection","operations":"#
                        + #"[{"op":"appendSections","sections":[{"id":"\#(first)","items":[\#(items)]}]}]}}"#)
                #expect(reply.contains(#""changed":true"#), "\(reply.prefix(300))")
            }
            client.close()
            let start = ContinuousClock.now
            var (longest, rounds) = (Duration.zero, 0)
            var isOver = false
            while !isOver {
                let sent = ContinuousClock.now
                isOver = try other.reply(to: "lists").contains(#""items":0"#)
                longest = max(longest, .now - sent)
                rounds += 1
            }
            let total = .now - start
            // Otherwise one reply waits for half of it, or more.
            #expect(rounds > 10 && longest < total / 4, "\(longest) of \(total), \(rounds) rounds")
        }

        @Test func `a subscriber that reads a long reset as fast as it comes lets others have their turn`() throws {
            let daemon = try TestServer()
            try daemon.succeed("create", "rows", "--volatile")
            let rows = (1...40_000).map { #"{"id":"\#($0)","text":"\#(String(repeating: "x", count: 200))"}"# }
            try daemon.succeed("apply", "rows", "--from", "ndjson", input: rows.joined(separator: "\n"))
            let other = try daemon.connect()
            let request = #"{"id":1,"method":"subscribe","params":{"list":"rows","once":true}}"#
            let input = try daemon.directory.write("\(request)\n", to: "subscribe")
            // On a busy machine all of it may arrive before this thread runs again.
            try eventually("reset beside which more than four pings are answered") {
                let reader = try Program(
                    "/usr/bin/socat", ["-t", "1e9", "-", "UNIX-CONNECT:\(daemon.socket)"], input: input,
                    in: daemon.directory)
                try eventually("the beginning of the reset") { reader.output.isEmpty ? nil : () }
                var rounds = 0
                while reader.exitStatus() == nil {
                    _ = try other.reply(to: "ping")
                    rounds += 1
                }
                #expect(reader.output.hasSuffix("]}}\n"))
                return rounds > 4 ? () : nil
            }
        }
    }
}
