import Foundation
import Testing

extension Integration {
    /// More clients than a limit or the machine allows.
    struct ConnectionLimitTests {
        @Test func `a command that is one connection too many says why`() throws {
            let daemon = try Daemon(configured: "connectionsPerUserMax: 2")
            let clients = try (0..<2).map { _ in try admitted(to: daemon) }
            let answer = try daemon.companion("ls")
            #expect(answer.status != 0)
            #expect(answer.complaints.contains("connectionsPerUserMax"), "\(answer.complaints)")
            // After a client has left, another is admitted.
            clients[0].close()
            _ = try eventually("room") { try daemon.companion("ls").status == 0 ? true : nil }
            #expect(try clients[1].reply(to: "ping").contains("result"))
        }

        @Test(.withSeveralUsers) func `when all connections are taken root still has some`() throws {
            let daemon = try Daemon.forEverybody(configured: "connectionsMax: 3")
            // Without a subscription it would leave at once.
            let subscribe = #"{"id":1,"method":"subscribe","params":{"list":"none","ifAbsent":"wait"}}"#
            let others = try (0..<3).map { _ in try daemon.startClient(as: .bob, sending: [subscribe]) }
            for other in others { _ = try eventually("answer") { other.output.contains("result") ? true : nil } }
            let refused = try daemon.startClient(as: .bob, sending: [subscribe])
            _ = try eventually("refusal") { refused.output.contains(#""limit":"connectionsMax","max":3"#) ? true : nil }
            let administrators = try (0..<8).map { _ in try daemon.connect() }
            for client in administrators { #expect(try client.reply(to: "ping").contains("result")) }
            #expect(try daemon.connect().line()?.contains("connectionsMax") == true, "one more than is kept")
        }

        @Test(.withSeveralUsers) func `a user without a connection finds one when others have taken all`() throws {
            let daemon = try Daemon.forEverybody(configured: "connectionsMax: 3")
            let subscribe = #"{"id":1,"method":"subscribe","params":{"list":"none","ifAbsent":"wait"}}"#
            let bobs = try (0..<3).map { _ in try daemon.startClient(as: .bob, sending: [subscribe]) }
            for client in bobs { _ = try eventually("answer") { client.output.contains("result") ? true : nil } }
            #expect(try daemon.replies(to: .alice, ["ping"]).contains { $0.contains("result") })
            let first = try daemon.startClient(as: .alice, sending: [subscribe])
            _ = try eventually("answer") { first.output.contains("result") ? true : nil }
            let second = try daemon.startClient(as: .alice, sending: [subscribe])
            _ = try eventually("refusal") { second.output.contains("connectionsMax") ? true : nil }
            #expect(try daemon.connect().reply(to: "ping").contains("result"), "root's are kept all the same")
        }

        @Test func `an unfinished line that is too much for its user is refused, and the next one is read`() throws {
            let daemon = try Daemon(configured: "heldLengthMax: 300000")
            let (first, second) = (try daemon.connect(), try daemon.connect())
            let half = [UInt8](repeating: UInt8(ascii: " "), count: 200_000)
            try first.send(half)
            try first.waitUntilTaken()
            #expect(first.isSilent(forSeconds: 0.2))
            try second.send(half)
            let refused = try #require(try second.line())
            #expect(refused.contains(#""limit":"heldLengthMax","max":300000"#), "\(refused)")
            try second.send("\nping")
            #expect(try second.line()?.contains("result") == true)
            try first.send(#"{"id":3,"method":"ping"}"#)
            #expect(try first.line()?.contains(#""id":3"#) == true, "the first one's is kept")
        }

        @Test func `a user whose programs do not read their answers is not read, and others are served`() throws {
            let daemon = try Daemon(configured: "heldLengthMax: 2000000")
            try daemon.succeed("create", "rows", "--volatile")
            let rows = (1...4_000).map { #"{"id":"\#($0)","text":"\#(String(repeating: "x", count: 100))"}"# }
            try daemon.succeed("apply", "rows", "--from", "ndjson", input: rows.joined(separator: "\n"))
            let before = daemon.program.residentLength
            // Each would need half a megabyte.
            let deaf = try (0..<40).map { _ in try daemon.connect() }
            for client in deaf {
                try client.send(#"{"id":1,"method":"difference","params":{"list":"rows","from":0,"to":1}}"#)
            }
            usleep(500_000)
            #expect(daemon.program.residentLength - before < 6 << 20)
            // Everything arrives when they read, in any order.
            var rest = deaf
            _ = try eventually("answer of each") {
                rest = try rest.filter { (client: RawClient) throws -> Bool in
                    if client.isSilent(forSeconds: 0) { return true }
                    #expect(try client.line()?.contains(#""id":"4000""#) == true)
                    return false
                }
                return rest.isEmpty ? true : nil
            }
        }

        /// Connects after other clients have left.
        private func admitted(to daemon: Daemon) throws -> RawClient {
            try eventually("room") {
                let client = try daemon.connect()
                return try client.reply(to: "ping").contains("result") ? client : nil
            }
        }

        // MARK: Descriptors

        @Test(.alone, .enabled(if: Binaries.isInstalled("prlimit"), "prlimit (util-linux) is not installed"))
        func `without descriptors accepting pauses, nothing spins, and those connected are served`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks")
            try daemon.succeed("section", "add", "tasks", "s")
            let connected = try (0..<3).map { _ in try daemon.connect() }
            for client in connected { _ = try client.reply(to: "ping") }
            let process = daemon.program.processID
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").compactMap { Int($0) }
            let limit = try #require(open.max()) + 1
            #expect(
                try Program(
                    "/usr/bin/prlimit", ["--pid", "\(process)", "--nofile=\(limit):\(limit)"], in: daemon.directory
                ).wait() == 0)
            // Gaps among the descriptors are filled first.
            var served: [RawClient] = []
            var newest = try daemon.connect()
            while try isAnswered(newest, by: daemon) {
                served.append(newest)
                newest = try daemon.connect()
            }
            let waiting = [newest] + (try (0..<4).map { _ in try daemon.connect() })

            let append =
                #"{"id":1,"method":"transact","params":{"list":"tasks","operations":[{"op":"appendItems","#
                + #""items":[{"id":"milk"}]}]}}"#
            let (start, before) = (ContinuousClock.now, daemon.program.processorTime)
            #expect(newest.isSilent(forSeconds: 1))
            // A busy loop would use all available CPU time.
            let (time, used) = (start.duration(to: .now), daemon.program.processorTime - before)
            #expect(used < .milliseconds(50) + time / 20, "\(used) of processor time in \(time)")
            #expect(
                try connected[0].reply(to: append).contains(#""changed":true"#),
                "those connected are served, and the disk is written")

            connected[1].close()
            // This happens in an iteration of the loop, not at the next retry within a second.
            for _ in 0..<50 where waiting[0].isSilent(forSeconds: 0) { _ = try connected[0].reply(to: "ping") }
            #expect(!waiting[0].isSilent(forSeconds: 0), "one closes, one is let in")
            #expect(try waiting[0].line()?.contains("result") == true)
            connected[2].close()
            _ = try waiting[1].reply(to: "ping")
        }

        /// False when the daemon says that it has no descriptor for it.
        private func isAnswered(_ client: RawClient, by daemon: Daemon) throws -> Bool {
            try client.send("ping")
            return try eventually("answer") {
                if !client.isSilent(forSeconds: 0.01) { return true }
                return daemon.program.complaints.contains("no file descriptor is left") ? false : nil
            }
        }
    }
}
