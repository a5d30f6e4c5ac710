import Foundation
import Testing

extension Integration {
    /// A handler that reads nothing, and a flood of requests for it.
    struct MuteHandlerTests {
        private static let askers = 4

        /// Returns the most bytes by which the daemon's memory grew during the flood.
        private func growthWhenFlooded(with configuration: String, asks: Int, milliseconds: Int) throws -> Int {
            let daemon = try Daemon(configured: configuration)
            let (mute, good) = try (daemon.connect(), daemon.connect())
            for list in ["tasks", "others"] {
                let handler = list == "tasks" ? mute : good
                _ = try good.reply(
                    to: #"{"id":0,"method":"createList","params":{"list":"\#(list)","durability":"volatile"}}"#)
                let handle = #"{"id":0,"method":"handle","params":{"list":"\#(list)","requests":["perform"]}}"#
                #expect(try handler.reply(to: handle).contains(#""handler":1"#))
            }
            let askers = try (0..<Self.askers).map { _ in try daemon.connect() }
            let padding = String(repeating: "x", count: 60_000)
            let before = daemon.program.residentLength
            var largest = before
            for number in 1...asks {
                // Every tenth request fills sockets, and the others only queues.
                let arguments = number % 10 == 0 ? padding : ""
                let ask = HandlerBench.perform(
                    "a", id: number, members: #","timeout":\#(milliseconds),"arguments":"\#(arguments)""#)
                _ = try askers[number % Self.askers].exchange(Array("\(ask)\n".utf8))
                if number % 100 == 0 {
                    largest = max(largest, daemon.program.residentLength)
                    try serve(good, number, asking: daemon)
                }
            }
            // Each request is answered anyway.
            for asker in askers {
                try asker.send(#"{"id":0,"method":"ping"}"#)
                _ = try asker.lines(until: #""id":0,"#)
            }
            largest = max(largest, daemon.program.residentLength)
            mute.close()
            return largest - before
        }

        /// Another client asks another handler, which answers.
        private func serve(_ good: RawClient, _ number: Int, asking daemon: Daemon) throws {
            let asker = try daemon.connect()
            try asker.send(#"{"id":\#(number),"method":"perform","params":{"list":"others","action":"a"}}"#)
            let line = try good.line() ?? "(the end)"
            let request = line.firstMatch(of: #/"request":([0-9]+)/#).flatMap { Int($0.1) } ?? 0
            #expect(try good.reply(to: HandlerBench.answer(request, id: 1)).contains(#""id":1,"result""#))
            #expect(try asker.line()?.contains(#""id":\#(number),"result""#) == true)
        }

        @Test(arguments: [1, 600_000])
        func `a flood of askers costs no memory and holds up nobody else`(milliseconds: Int) throws {
            let growth = try growthWhenFlooded(
                with: "requestsPerHandlerMax: 100\n", asks: Sweep.count(30_000), milliseconds: milliseconds)
            #expect(growth < 24 << 20, "\(growth >> 10) KiB")
        }

        /// The measurement works: without the limit, memory grows that much.
        @Test func `without the limit a flood shows in the memory`() throws {
            let growth = try growthWhenFlooded(
                with: "requestsPerHandlerMax: 1000000\nrequestsPerAskerMax: 1000000\n", asks: 10_000,
                milliseconds: 600_000)
            #expect(growth > 48 << 20, "\(growth >> 10) KiB")
        }
    }
}
