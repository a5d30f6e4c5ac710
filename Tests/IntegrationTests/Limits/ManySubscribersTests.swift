import Foundation
import Testing

extension Integration {
    struct ManySubscribersTests {
        private static let count = 9_000

        /// The daemon raises its own limit up to this.
        private static let descriptorsPossible: Int = {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return Int(clamping: limit.rlim_cur)
        }()

        @Test(.enabled(if: descriptorsPossible >= count + 500, "`ulimit -Hn` is below \(count + 500)"))
        func `9,000 subscribers all hear of one transaction`() throws {
            let daemon = try Daemon(configured: "connectionsPerUserMax: \(Self.count + 500)")
            let publisher = try daemon.connect()
            _ = try publisher.reply(
                to: #"{"id":1,"method":"createList","params":{"list":"news","durability":"volatile"}}"#)
            _ = try publisher.reply(
                to: #"{"id":1,"method":"apply","params":{"list":"news","section":"s","snapshot":[{"id":"a"}]}}"#)
            let before = daemon.program.residentLength
            let subscribers = try (0..<Self.count).map { _ in
                let client = try daemon.connect()
                try client.send("subscribe news")
                return client
            }
            for client in subscribers {
                #expect(try client.line()?.contains("result") == true)
                #expect(try client.line()?.contains("reset") == true)
            }
            // The approximate cost of a connection and a subscription; no line is sent.
            let each = (daemon.program.residentLength - before) / Self.count
            #expect(each < 16 << 10, "\(each) bytes for each subscriber")
            let beforePublishing = daemon.program.processorTime
            let append =
                #"{"id":1,"method":"transact","params":{"list":"news","operations":[{"op":"appendItems","#
                + #""items":[{"id":"b"}]}]}}"#
            #expect(try publisher.reply(to: append).contains(#""changed":true"#))
            for client in subscribers { #expect(try client.line()?.contains(#""id":"b""#) == true) }
            // A fraction of a second; if each looked at all others, it would be minutes.
            let time = daemon.program.processorTime - beforePublishing
            #expect(time < .seconds(20), "\(each) bytes each, all heard after \(time) of processor time")
            #expect(try publisher.reply(to: "status").contains(#""subscriptions":\#(Self.count)"#))
        }
    }
}
