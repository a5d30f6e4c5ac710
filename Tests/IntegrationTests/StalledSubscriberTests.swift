import Foundation
import Testing

extension Integration {
    struct StalledSubscriberTests {
        @Test func `a subscriber that does not read costs no more than one that does`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "news", "--volatile")
            try daemon.succeed("section", "add", "news", "s")
            for number in 0..<10 { try daemon.succeed("append", "news", "\(number)", "n:=0") }
            let publisher = try daemon.connect()
            let reader = try subscriber(of: daemon)
            let other = try subscriber(of: daemon)

            // Both read, until the daemon has allocated all that this needs.
            var published = 0
            try publish(10_000, &published, by: publisher, read: [reader, other])
            let before = daemon.program.residentLength

            // One of them stops. A queue of its unread lines would be three megabytes.
            try publish(20_000, &published, by: publisher, read: [reader])
            // Memory is freed in the background with a delay.
            try eventually("daemon that has no more than \(before) bytes and a megabyte") {
                daemon.program.residentLength - before < 1 << 20 ? () : nil
            }

            // It reads again: few lines, the right state.
            let known = other.replay.lines
            try other.read(upTo: 11 + published)
            #expect(other.replay.lines - known < 1_000, "\(other.replay.lines - known) lines for 20,000 transactions")
            #expect(other.replay.json == (try daemon.succeed("show", "news", "--json")))
            #expect(other.replay.json == reader.replay.json)
        }

        private func subscriber(of daemon: Daemon) throws -> LineSubscriber {
            try LineSubscriber(to: "news", of: daemon, at: 11)
        }

        /// Makes changes in windows, each acknowledged and read before the next.
        private func publish(
            _ count: Int, _ published: inout Int, by client: RawClient, read readers: [LineSubscriber]
        ) throws {
            let window = 200
            for _ in 0..<count / window {
                let lines = (published..<published + window).map { number in
                    #"{"id":\#(number),"method":"transact","params":{"list":"news","operations":["#
                        + #"{"op":"reconfigureItems","items":[{"id":"\#(number % 10)","content":{"n":\#(number + 1)}}]}]}}"#
                }
                try client.send(Array((lines.joined(separator: "\n") + "\n").utf8))
                for _ in 0..<window {
                    let reply = try client.line() ?? ""
                    guard reply.contains(#""changed":true"#) else { throw Failure("not changed: \(reply)") }
                }
                published += window
                for reader in readers { try reader.read(upTo: 11 + published) }
            }
        }
    }
}
