import Diffable
import Foundation
import Testing

extension Integration {
    /// Bytes are written directly from the event loop while a socket takes them, and otherwise through the channel.
    struct DirectSendingTests {
        @Test func `a socket that takes lines only in part gets them whole, without a gap and without a repetition`()
            throws
        {
            let daemon = try Daemon()
            let publisher = try publisher(of: daemon)
            let reader = try subscriber(of: daemon)
            let stalled = try subscriber(of: daemon)
            // Three rounds, so that it falls behind and catches up more than once. A socket has room for about ten of these
            // lines, and not for a whole number of them.
            for round in 0..<3 {
                for number in 0..<30 {
                    let item = "\(round).\(number)"
                    try publisher.publish(item, length: 17_000 + 100 * number)
                    try reader.read(upTo: publisher.revision)
                }
                try stalled.read(upTo: publisher.revision)
                #expect(stalled.replay.json == reader.replay.json)
                // Caught up again: one line for each transaction.
                let lines = stalled.replay.lines
                for number in 0..<5 {
                    try publisher.publish("\(round).again.\(number)", length: 10)
                    try stalled.read(upTo: publisher.revision)
                }
                #expect(stalled.replay.lines == lines + 5)
                try reader.read(upTo: publisher.revision)
            }
            #expect(reader.replay.json == (try daemon.succeed("show", "news", "--json")))
        }

        @Test func `answers, pages and changes keep their order while the socket is full now and then`() throws {
            let daemon = try Daemon()
            let publisher = try publisher(of: daemon)
            for number in 0..<20 { try publisher.publish("\(number)", length: 30_000) }
            let client = try daemon.connect()
            let count = 40
            var requests = ["subscribe news"]
            for number in 1...count {
                requests.append(#"{"id":"ping \#(number)","method":"ping"}"#)
                requests.append(#"{"id":"snapshot \#(number)","method":"snapshot","params":{"list":"news"}}"#)
                requests.append(
                    #"{"id":"change \#(number)","method":"transact","params":{"list":"news","operations":["#
                        + #"{"op":"appendItems","items":[{"id":"own.\#(number)"}]}]}}"#)
            }
            try client.send(requests.joined(separator: "\n"))
            client.finishSending()
            usleep(200_000)
            var replay = Replay()
            var answers: [String] = []
            while answers.count < 3 * count, let line = try client.line() {
                // Every line is whole: interleaved lines would be invalid JSON.
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                guard let id = object?["id"] as? String else {
                    if object?["method"] != nil { try replay.receive(line) }
                    continue
                }
                answers.append(id)
                guard id.hasPrefix("change"), let result = object?["result"] as? [String: Any] else { continue }
                let revision = try #require(result["revision"] as? Int)
                #expect(replay.revision ?? 0 >= revision, "our own change comes before the reply to it")
            }
            #expect(answers == (1...count).flatMap { ["ping \($0)", "snapshot \($0)", "change \($0)"] })
        }

        @Test func `subscribers that close while others are served do them no harm`() throws {
            let daemon = try Daemon()
            let publisher = try publisher(of: daemon)
            let readers = try (0..<10).map { _ in try subscriber(of: daemon) }
            for round in 0..<20 {
                // Two subscriptions each, so that one end affects several places; some have unread lines when they leave.
                let leavers = try (0..<10).map { _ in
                    let client = try daemon.connect()
                    try client.send("subscribe news\nsubscribe news")
                    return client
                }
                for (index, leaver) in leavers.enumerated() {
                    if index % 2 == 0 { _ = try leaver.lines(until: #""subscription":2,"list":"news","epoch""#) }
                }
                // Sent and closed at the same time, so that the end of some is only noticed by a write.
                try publisher.send("\(round).a", length: 5_000)
                for leaver in leavers { leaver.close() }
                try publisher.send("\(round).b", length: 5_000)
                try publisher.finish(2)
            }
            for reader in readers {
                try reader.read(upTo: publisher.revision)
                #expect(reader.replay.json == readers[0].replay.json)
            }
            #expect(readers[0].replay.snapshot.numberOfItems == 40)
            let client = try daemon.connect()
            try eventually("status with ten subscriptions") {
                try client.reply(to: "status").contains(#""subscriptions":10,"#) ? () : nil
            }
        }

        @Test func `groups of several lines reach all who follow`() throws {
            let daemon = try Daemon()
            let publisher = try publisher(of: daemon)
            let readers = try (0..<5).map { _ in try subscriber(of: daemon) }
            for round in 0..<5 {
                for number in 0..<20 { try publisher.send("\(round).\(number)", length: 20_000) }
                try publisher.finish(20)
                for reader in readers { try reader.read(upTo: publisher.revision) }
            }
            let shown = try daemon.succeed("show", "news", "--json")
            for reader in readers { #expect(reader.replay.json == shown) }
        }

        // MARK: Clients

        private func publisher(of daemon: Daemon) throws -> Publisher {
            try daemon.succeed("create", "news", "--volatile")
            try daemon.succeed("section", "add", "news", "s")
            return Publisher(try daemon.connect())
        }

        private func subscriber(of daemon: Daemon) throws -> LineSubscriber {
            try LineSubscriber(to: "news", of: daemon, at: 1)
        }

        /// Appends items with contents of a given length.
        final class Publisher {
            private let client: RawClient
            private(set) var revision = 1

            init(_ client: RawClient) { self.client = client }

            func publish(_ item: String, length: Int) throws {
                try send(item, length: length)
                try finish(1)
            }

            func send(_ item: String, length: Int) throws {
                let content = String(repeating: "x", count: length)
                try client.send(
                    #"{"id":1,"method":"transact","params":{"list":"news","operations":[{"op":"appendItems","items":[{"id":""#
                        + #"\#(item)","content":"\#(content)"}]}]}}"#)
            }

            func finish(_ count: Int) throws {
                for _ in 0..<count {
                    let reply = try client.line() ?? ""
                    guard reply.contains(#""changed":true"#) else { throw Failure("not changed: \(reply)") }
                    revision += 1
                }
            }
        }
    }
}
