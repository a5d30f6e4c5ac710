import DiffableServer
import Foundation
import Testing

extension Integration {
    /// One client's work must not keep the others waiting.
    @Suite(.alone)
    struct FairnessTests {
        @Test func `a client that sends much at once lets others have their turn`() throws {
            let server = try TestServer(turn: .ofDebugBuilds)
            try server.succeed("create", "rows", "--volatile")
            // Each line takes a while.
            let rows = (0..<200).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
            let lines = (1...30).map { number in
                #"{"id":\#(number),"method":"transact","params":{"list":"rows","dryRun":true,"operations":["#
                    + #"{"op":"appendSections","sections":[{"id":"s","items":[\#(rows)]}]}]}}"#
            }
            // On a quick machine some 25 of them are answered while one line is worked on.
            let taken = try server.linesTaken(of: lines, besideRequests: 300)
            #expect(Set(taken).count > 5, "\(taken)")
            // Nobody waits for a third of it.
            for (before, now) in zip([0] + taken, taken) { #expect(now - before < 10, "\(taken)") }
        }

        @Test func `a subscriber that reads a long reset as fast as it comes lets others have their turn`() throws {
            let daemon = try TestServer(turn: .ofDebugBuilds)
            try daemon.succeed("create", "rows", "--volatile")
            let rows = (1...40_000).map { #"{"id":"\#($0)","text":"\#(String(repeating: "x", count: 200))"}"# }
            try daemon.succeed("apply", "rows", "--from", "ndjson", input: rows.joined(separator: "\n"))
            let other = try daemon.connect()
            let request = #"{"id":1,"method":"subscribe","params":{"list":"rows","once":true}}"#
            let input = try daemon.directory.write("\(request)\n", to: "subscribe")
            // On a busy machine all of it may be there before this thread runs again.
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
