import Foundation
import Testing

extension Integration {
    /// Slow views of one client do not delay other clients.
    struct LongViewTests {
        private static let rowsMax = 30_000

        /// The event loop's work while other clients wait for answers. It is measured in CPU time, because on a busy machine
        /// everything waits.
        private struct Waits {
            private let program: Program
            private let start: Duration
            private var last: Duration
            private var longest = Duration.zero
            private var count = 0

            init(at daemon: Daemon) {
                program = daemon.program
                (start, last) = (program.processorTime, program.loopTime)
            }

            mutating func noteAnswer() {
                let now = program.loopTime
                longest = max(longest, now - last)
                last = now
                count += 1
            }

            /// Whether no client waits for the search or a large part of it; without the background it would be all of it.
            ///
            /// - Returns: whether other clients were served during the search. This thread may have run too seldom for that.
            func areShort() -> Bool {
                let time = program.processorTime - start
                #expect(longest < max(.milliseconds(100), time / 3), "\(longest) of \(time)")
                return count > 4
            }
        }

        private func daemonWithRows(_ rowsMax: Int = Self.rowsMax, configured text: String = "") throws -> Daemon {
            let daemon = try Daemon(configured: text)
            try daemon.succeed("create", "rows", "--volatile")
            try apply(rowsMax, factor: 7919, to: daemon)
            return daemon
        }

        private func apply(_ rowsMax: Int, factor: Int, to daemon: Daemon) throws {
            let rows = (0..<rowsMax).map { #"{"id":"\#($0)","n":\#($0 * factor % 100_003)}"# }
            try daemon.succeed("apply", "rows", "--from", "ndjson", input: rows.joined(separator: "\n"))
        }

        /// Pings and makes changes on other clients until a request is answered. Returns the client that sent it.
        @discardableResult
        private func expectOthersServed(
            by daemon: Daemon, whileWaitingFor request: String, answers: String
        ) throws -> RawClient {
            let other = try daemon.connect()
            return try eventually("search beside which others are served") {
                let client = try daemon.connect()
                var waits = Waits(at: daemon)
                var number = 0
                try client.send(request)
                repeat {
                    _ = try other.reply(to: "ping")
                    waits.noteAnswer()
                    number += 1
                    let change =
                        #"{"id":\#(number),"method":"transact","params":{"list":"rows","operations":["#
                        + #"{"op":"reconfigureItems","items":[{"id":"\#(number)","content":{"n":-\#(number)}}]}]}}"#
                    #expect(try other.reply(to: change).contains(#""changed":"#))
                    waits.noteAnswer()
                } while client.isSilent(forSeconds: 0)
                let reply = try client.line() ?? ""
                let isRight = reply.contains(answers)
                #expect(isRight, "\(reply.prefix(200))")
                return waits.areShort() ? client : nil
            }
        }

        @Test func `a view of many rows is found while others are served`() throws {
            let daemon = try daemonWithRows()
            // Sorted, and the first rows of it.
            let viewer = try expectOthersServed(
                by: daemon,
                whileWaitingFor: #"{"id":1,"method":"subscribe","params":{"list":"rows","view":"#
                    + #"{"sort":["/n"],"window":{"limit":3}}}}"#, answers: #""subscription":1"#)
            let reset = try viewer.line() ?? ""
            #expect(reset.contains(#""method":"reset""#) && reset.contains(#""total":\#(Self.rowsMax)"#))
            // All rows in another order.
            try expectOthersServed(
                by: daemon,
                whileWaitingFor: #"{"id":2,"method":"snapshot","params":{"list":"rows","view":"#
                    + #"{"where":{"path":"/n","atMost":-1},"sort":["id"]}}}"#, answers: #""snapshot":{"#)
        }

        @Test func `a change of most rows reaches a sorted view while others are served`() throws {
            let daemon = try daemonWithRows()
            let viewer = try daemon.connect()
            _ = try viewer.reply(
                to: #"{"id":1,"method":"subscribe","params":{"list":"rows","view":"#
                    + #"{"sort":["/n"],"window":{"limit":1}}}}"#)
            _ = try viewer.line()
            let publisher = try daemon.connect()
            var revision = 1
            try eventually("change beside which others are served") {
                // Half of them, all to other places; only its sender waits for the reply.
                let changes = (0..<15_000).map { #"{"id":"\#($0)","content":{"n":-\#($0 * revision)}}"# }
                let reply = try publisher.reply(
                    to: #"{"id":1,"method":"transact","params":{"list":"rows","operations":["#
                        + #"{"op":"reconfigureItems","items":[\#(changes.joined(separator: ","))]}]}}"#)
                #expect(reply.contains(#""revision":\#(revision + 1)"#))
                var waits = Waits(at: daemon)
                repeat {
                    _ = try publisher.reply(to: "ping")
                    waits.noteAnswer()
                } while viewer.isSilent(forSeconds: 0)
                let change = try viewer.line() ?? ""
                let isRight = change.contains(#""from":\#(revision),"revision":\#(revision + 1)"#)
                #expect(isRight && change.contains(#""id":"14999""#))
                revision += 1
                return waits.areShort() ? () : nil
            }
        }

        @Test func `a difference of most rows is found while others are served`() throws {
            let daemon = try daemonWithRows(20_000, configured: "historyLengthMax: 1000000000")
            try apply(20_000, factor: 7907, to: daemon)
            try expectOthersServed(
                by: daemon,
                whileWaitingFor: #"{"id":1,"method":"difference","params":{"list":"rows","from":1,"to":2}}"#,
                answers: #""from":1,"to":2,"operations":[{"op":"reconfigureItems","items":[{"id":"1",""#)
        }

        @Test func `a list that is deleted while a view of it is found is not waited for`() throws {
            let daemon = try Daemon()
            let viewer = try eventually("list that is deleted while a view of it is found") {
                try daemon.succeed("create", "rows", "--volatile")
                try apply(Self.rowsMax, factor: 7919, to: daemon)
                return try deleteWhileSearched(daemon)
            }
            // The new view is for the next list.
            try daemon.succeed("create", "rows", "--volatile")
            _ = try viewer.line()
            try daemon.succeed(
                "apply", "rows", "--from", "ndjson",
                input: (0..<5).map { #"{"id":"\#($0)","n":\#(-$0)}"# }.joined(separator: "\n"))
            let change = try viewer.line() ?? ""
            #expect(change.contains(#""id":"4""#) && change.contains(#""id":"3""#) && !change.contains(#""id":"2""#))
        }

        /// Returns a subscriber that set another view and then got the end of its list; nil if that view arrived first.
        private func deleteWhileSearched(_ daemon: Daemon) throws -> RawClient? {
            let (viewer, asking, deleting) = (try daemon.connect(), try daemon.connect(), try daemon.connect())
            _ = try viewer.reply(
                to: #"{"id":1,"method":"subscribe","params":{"list":"rows","ifAbsent":"wait","#
                    + #""view":{"window":{"limit":1}}}}"#)
            _ = try viewer.line()
            try viewer.send(
                #"{"id":2,"method":"setView","params":{"subscription":1,"view":{"sort":["/n"],"window":{"limit":2}}}}"#)
            try asking.send(
                #"{"id":1,"method":"subscribe","params":{"list":"rows","view":{"sort":["/n"]}}}"#)
            try viewer.waitUntilTaken()
            try asking.waitUntilTaken()
            let deletion = try deleting.reply(to: #"{"id":1,"method":"deleteList","params":{"list":"rows"}}"#)
            #expect(deletion.contains("result"), "\(deletion)")
            let lines = try viewer.lines(until: #""method":"listDeleted""#)
            #expect(lines[0] == #"{"jsonrpc":"2.0","id":2,"result":{"subscription":1}}"#)
            guard lines.count == 2, try asking.line()?.contains("noSuchList") == true else { return nil }
            return viewer
        }
    }
}
