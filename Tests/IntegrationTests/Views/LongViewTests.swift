import Foundation
import Testing

extension Integration {
    /// What takes long to find for one client holds up nobody else.
    struct LongViewTests {
        private static let rowsMax = 30_000
        /// Nobody waits for as long as the search takes, or for a good part of that: without the background it is all of
        /// it. Both take longer on a machine that has other things to do.
        private static func expectShort(_ waits: [Duration], of time: Duration) {
            let longest = waits.max() ?? .zero
            #expect(waits.count > 4 && longest < max(.milliseconds(300), time / 3), "\(longest) of \(time)")
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

        /// Others ping and make changes until the answer to a request has come.
        private func expectOthersServed(
            by daemon: Daemon, while client: RawClient, waitsFor request: String, answers: String
        ) throws {
            let other = try daemon.connect()
            let clock = ContinuousClock()
            var waits: [Duration] = []
            let start = clock.now
            try client.send(request)
            repeat {
                waits.append(try clock.measure { _ = try other.reply(to: "ping") })
                let number = waits.count
                let change =
                    #"{"id":\#(number),"method":"transact","params":{"list":"rows","operations":["#
                    + #"{"op":"reconfigureItems","items":[{"id":"\#(number)","content":{"n":-\#(number)}}]}]}}"#
                var reply = ""
                waits.append(try clock.measure { reply = try other.reply(to: change) })
                #expect(reply.contains(#""changed":"#))
            } while client.isSilent(forSeconds: 0)
            let found = clock.now
            let reply = try client.line() ?? ""
            let isRight = reply.contains(answers)
            #expect(isRight, "\(reply.prefix(200))")
            Self.expectShort(waits, of: start.duration(to: found))
        }

        @Test func `a view of many rows is found while others are served`() throws {
            let daemon = try daemonWithRows()
            let viewer = try daemon.connect()
            // Sorted, and the first rows of it.
            try expectOthersServed(
                by: daemon, while: viewer,
                waitsFor: #"{"id":1,"method":"subscribe","params":{"list":"rows","view":"#
                    + #"{"sort":["/n"],"window":{"limit":3}}}}"#, answers: #""subscription":1"#)
            let reset = try viewer.line() ?? ""
            #expect(reset.contains(#""method":"reset""#) && reset.contains(#""total":\#(Self.rowsMax)"#))
            // All rows of another order.
            try expectOthersServed(
                by: daemon, while: daemon.connect(),
                waitsFor: #"{"id":2,"method":"snapshot","params":{"list":"rows","view":"#
                    + #"{"where":{"path":"/n","atMost":-1},"sort":["id"]}}}"#, answers: #""snapshot":{"#)
        }

        @Test func `a change of most rows reaches a sorted view while others are served`() throws {
            let daemon = try daemonWithRows()
            let viewer = try daemon.connect()
            _ = try viewer.reply(
                to: #"{"id":1,"method":"subscribe","params":{"list":"rows","view":"#
                    + #"{"sort":["/n"],"window":{"limit":1}}}}"#)
            _ = try viewer.line()
            // Half of them, all to other places; its reply waits for nobody but who sent it.
            let changes = (0..<15_000).map { #"{"id":"\#($0)","content":{"n":-\#($0)}}"# }
            let publisher = try daemon.connect()
            let reply = try publisher.reply(
                to: #"{"id":1,"method":"transact","params":{"list":"rows","operations":["#
                    + #"{"op":"reconfigureItems","items":[\#(changes.joined(separator: ","))]}]}}"#)
            #expect(reply.contains(#""revision":2"#))
            var waits: [Duration] = []
            let start = ContinuousClock.now
            repeat {
                waits.append(try ContinuousClock().measure { _ = try publisher.reply(to: "ping") })
            } while viewer.isSilent(forSeconds: 0)
            let time = start.duration(to: .now)
            let change = try viewer.line() ?? ""
            #expect(change.contains(#""from":1,"revision":2"#) && change.contains(#""id":"14999""#))
            Self.expectShort(waits, of: time)
        }

        @Test func `a difference of most rows is found while others are served`() throws {
            let daemon = try daemonWithRows(20_000, configured: "historyLengthMax: 1000000000")
            try apply(20_000, factor: 7907, to: daemon)
            let reader = try daemon.connect()
            try expectOthersServed(
                by: daemon, while: reader,
                waitsFor: #"{"id":1,"method":"difference","params":{"list":"rows","from":1,"to":2}}"#,
                answers: #""from":1,"to":2,"operations":[{"op":"reconfigureItems","items":[{"id":"1",""#)
        }

        @Test func `a list that is deleted while a view of it is found is not waited for`() throws {
            let daemon = try daemonWithRows()
            let viewer = try daemon.connect()
            _ = try viewer.reply(
                to: #"{"id":1,"method":"subscribe","params":{"list":"rows","ifAbsent":"wait","#
                    + #""view":{"window":{"limit":1}}}}"#)
            _ = try viewer.line()
            try viewer.send(
                #"{"id":2,"method":"setView","params":{"subscription":1,"view":{"sort":["/n"],"window":{"limit":2}}}}"#)
            let asking = try daemon.connect()
            try asking.send(
                #"{"id":1,"method":"subscribe","params":{"list":"rows","view":{"sort":["/n"]}}}"#)
            _ = try daemon.connect().reply(to: "ping")
            #expect(viewer.isSilent(forSeconds: 0) && asking.isSilent(forSeconds: 0))
            try daemon.succeed("delete", "rows")
            #expect(try viewer.line() == #"{"jsonrpc":"2.0","id":2,"result":{"subscription":1}}"#)
            #expect(try viewer.line()?.contains(#""method":"listDeleted""#) == true)
            #expect(try asking.line()?.contains("noSuchList") == true)
            // The new view is for the next list.
            try daemon.succeed("create", "rows", "--volatile")
            _ = try viewer.line()
            try daemon.succeed(
                "apply", "rows", "--from", "ndjson",
                input: (0..<5).map { #"{"id":"\#($0)","n":\#(-$0)}"# }.joined(separator: "\n"))
            let change = try viewer.line() ?? ""
            #expect(change.contains(#""id":"4""#) && change.contains(#""id":"3""#) && !change.contains(#""id":"2""#))
        }
    }
}
