import Foundation
import TestSupport
import Testing

extension Integration {
    struct CrashTests {
        @Test func `whatever was acknowledged is there after each crash`() throws {
            let seed = UInt64.random(in: 0...UInt64.max)
            var generator = SplitMix64(seed: seed)
            let daemon = try Daemon()
            try daemon.succeed("create", "log")
            try daemon.succeed("section", "add", "log", "s")
            var next = 0
            for crash in 1...Sweep.count(20) {
                let client = try daemon.connect()
                let first = next
                // More requests than answers are awaited, so that the daemon is busy when it is killed.
                var lines = ""
                for number in first..<first + 1_000 { lines += append(number) + "\n" }
                _ = try client.sendAsFarAsPossible(Array(lines.utf8))
                let enough = Int(generator.next() % 300)
                var acknowledged = first
                while acknowledged < first + enough, let reply = try client.line() {
                    #expect(reply.contains(#""changed":true"#), "\(reply)")
                    acknowledged += 1
                }
                daemon.program.end(with: SIGKILL)
                // Replies sent before the end count as well.
                while let reply = try client.line() {
                    if reply.contains(#""changed":true"#) { acknowledged += 1 }
                }
                try daemon.restart()
                let kept = try numbers(in: daemon.succeed("show", "log", "--json"))
                #expect(kept.count >= acknowledged, "crash \(crash), seed \(seed): \(acknowledged) acknowledged")
                #expect(kept == Array(0..<kept.count), "crash \(crash), seed \(seed): order or gaps")
                next = kept.count
            }
            daemon.program.signal(SIGTERM)
            #expect(try daemon.program.wait() == 0)
        }

        private func append(_ number: Int) -> String {
            #"{"id":\#(number),"method":"transact","params":{"list":"log","operations":[{"op":"appendItems","#
                + #""items":[{"id":"\#(number)"}]}]}}"#
        }

        private func numbers(in snapshot: String) -> [Int] {
            snapshot.components(separatedBy: #"{"id":""#).dropFirst(2).compactMap { part in
                part.firstIndex(of: "\"").flatMap { Int(part[..<$0]) }
            }
        }
    }
}
