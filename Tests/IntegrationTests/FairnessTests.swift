import DiffableServer
import Foundation
import Testing

extension Integration {
    /// One client's work must not keep the others waiting.
    @Suite(.alone)
    struct FairnessTests {
        @Test func `a client that sends much at once lets others have their turn`() throws {
            let daemon = try TestServer(turn: .ofDebugBuilds)
            let busy = try daemon.connect()
            // Each line takes a while, and all of them come in one piece or two.
            let rows = (0..<400).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
            let count = 30
            let lines = (1...count).map { number in
                #"{"id":\#(number),"method":"transact","params":{"list":"rows","dryRun":true,"operations":["#
                    + #"{"op":"appendSections","sections":[{"id":"s","items":[\#(rows)]}]}]}}"#
            }
            try daemon.succeed("create", "rows", "--volatile")
            let other = try daemon.connect()
            // The first answer says that it has begun.
            try busy.send(Array((lines.joined(separator: "\n") + "\n").utf8))
            #expect(try busy.line()?.hasPrefix(#"{"jsonrpc":"2.0","id":1,"#) == true)
            let clock = ContinuousClock()
            let start = clock.now
            var waited = Duration.zero
            var rounds = 0
            // Pings while the other is at it.
            var answers = 1
            while answers < count {
                waited = max(waited, try clock.measure { _ = try other.reply(to: "ping") })
                rounds += 1
                while answers < count, !busy.isSilent(forSeconds: 0) {
                    _ = try busy.line()
                    answers += 1
                }
            }
            #expect(rounds > 2, "\(rounds) pings were answered before \(count) lines were done")
            let time = start.duration(to: clock.now)
            #expect(waited < max(.seconds(1), time / 3), "a ping waited for \(waited) of \(time)")
        }

        @Test func `a subscriber that reads a long reset as fast as it comes lets others have their turn`() throws {
            let daemon = try TestServer(turn: .ofDebugBuilds)
            try daemon.succeed("create", "rows", "--volatile")
            let rows = (1...40_000).map { #"{"id":"\#($0)","text":"\#(String(repeating: "x", count: 200))"}"# }
            try daemon.succeed("apply", "rows", "--from", "ndjson", input: rows.joined(separator: "\n"))
            let other = try daemon.connect()
            let request = #"{"id":1,"method":"subscribe","params":{"list":"rows","once":true}}"#
            let reader = try Program(
                "/usr/bin/socat", ["-t", "1e9", "-", "UNIX-CONNECT:\(daemon.socket)"],
                input: try daemon.directory.write("\(request)\n", to: "subscribe"), in: daemon.directory)
            _ = try eventually("the beginning of the reset") { reader.output.isEmpty ? nil : true }
            var rounds = 0
            while reader.exitStatus() == nil {
                _ = try other.reply(to: "ping")
                rounds += 1
            }
            #expect(rounds > 4, "\(rounds) pings were answered before the reset was sent")
            #expect(reader.output.hasSuffix("]}}\n"))
        }
    }
}
