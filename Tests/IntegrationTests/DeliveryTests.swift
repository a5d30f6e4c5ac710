import Foundation
import TestSupport
import Testing

extension Integration {
    /// `deliver`: updates as whole snapshots, or as JSON patches.
    struct DeliveryTests {
        /// The copy of one subscriber, in any form of delivery.
        struct Follower {
            private(set) var document: PatchedDocument?
            private(set) var revision: Int?
            /// The reason in the last line; nil without one.
            private(set) var reason: String?
            private(set) var groups = 0

            mutating func receive(_ params: [String: Any], _ method: String) throws {
                guard let revision = params["revision"] as? Int else { throw Failure("no revision") }
                groups += 1
                switch method {
                case "snapshot":
                    guard let snapshot = params["snapshot"] else { throw Failure("no snapshot") }
                    document = PatchedDocument(snapshot)
                case "patch":
                    guard let steps = params["patch"] as? [[String: Any]] else { throw Failure("no patch") }
                    guard params["from"] as? Int == self.revision else { throw Failure("from \(params["from"] ?? "")") }
                    try document?.apply(steps)
                default: throw Failure("a \(method) came")
                }
                reason = params["reason"] as? String
                self.revision = revision
            }
        }

        /// A connection with subscriptions of both forms, and one that gets operations.
        final class Reader {
            let client: RawClient
            private(set) var followers: [Int: Follower] = [:]
            private(set) var replay = Replay()
            private var resultText: String?

            init(_ client: RawClient) { self.client = client }

            subscript(number: Int) -> Follower { followers[number] ?? Follower() }

            /// Sends a request and reads up to its reply.
            @discardableResult
            func request(_ method: String, _ params: String) throws -> [String: Any] {
                try client.send(#"{"id":"r","method":"\#(method)","params":{\#(params)}}"#)
                while true {
                    if let result = try read() { return result }
                }
            }

            /// Reads a line; returns the result if it is a reply.
            func read() throws -> [String: Any]? {
                guard let line = try client.line() else { throw Failure("the daemon closed the connection") }
                guard let message = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                    throw Failure("no object: \(line.prefix(200))")
                }
                if let result = message["result"] as? [String: Any] { return result }
                guard let method = message["method"] as? String, let params = message["params"] as? [String: Any],
                    let number = params["subscription"] as? Int
                else { throw Failure("neither a result nor a notification: \(line.prefix(200))") }
                if method == "reset" || method == "changes" {
                    try replay.receive(line)
                } else {
                    try followers[number, default: Follower()].receive(params, method)
                }
                return nil
            }

            func read(until isTrue: () -> Bool) throws { while !isTrue() { _ = try read() } }

            func subscribe(_ list: String, _ more: String = "") throws -> Int {
                let result = try request("subscribe", #""list":"\#(list)"\#(more)"#)
                guard let number = result["subscription"] as? Int else { throw Failure("not subscribed: \(result)") }
                return number
            }
        }

        @Test func `snapshots and patches tell after each group what snapshot answers`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "menu", "--volatile")
            let reader = Reader(try daemon.connect())
            let snapshots = try reader.subscribe("menu", #","deliver":"snapshots""#)
            let patches = try reader.subscribe("menu", #","deliver":"patches""#)
            _ = try reader.subscribe("menu")
            let seed = UInt64.random(in: 0...UInt64.max)
            var random = SplitMix64(seed: seed)
            for step in 1...300 {
                try reader.request("apply", #""list":"menu","snapshot":\#(Self.state(&random))"#)
                // A client gets its own changes before the reply.
                let result = try reader.request("snapshot", #""list":"menu""#)
                let (answer, revision) = (PatchedDocument(result["snapshot"] ?? ""), result["revision"] as? Int)
                for number in [snapshots, patches] {
                    #expect(reader[number].document?.root == answer.root, "seed \(seed), step \(step)")
                    #expect(reader[number].revision == revision, "seed \(seed), step \(step)")
                }
                let replayed = try JSONSerialization.jsonObject(with: Data(reader.replay.json.utf8))
                #expect(PatchedDocument(replayed).root == answer.root, "seed \(seed), step \(step)")
            }
            #expect(reader[patches].groups > 200)
        }

        /// Moves a few ids around.
        private static func state(_ random: inout SplitMix64) -> String {
            var ids = (0..<14).map { "i\($0)" }.shuffled(using: &random)
            ids.removeLast(Int.random(in: 0...6, using: &random))
            func item(_ id: String, _ children: [String] = []) -> String {
                let content =
                    Bool.random(using: &random) ? #","content":{"n":\#(Int.random(in: 0...2, using: &random))}"# : ""
                let expanded = #","expanded":\#(Bool.random(using: &random))"#
                let below = children.isEmpty ? "" : #","children":[\#(children.joined(separator: ","))]"#
                return #"{"id":"\#(id)"\#(content)\#(expanded)\#(below)}"#
            }
            let sections = ["a", "b", "c"].shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
            var items = Array(repeating: [String](), count: sections.count)
            while let id = ids.popLast() {
                let below = ids.suffix(Int.random(in: 0...2, using: &random)).map { item($0) }
                ids.removeLast(below.count)
                items[Int.random(in: 0..<sections.count, using: &random)].append(item(id, below))
            }
            let texts = zip(sections, items).map { #"{"id":"\#($0)","items":[\#($1.joined(separator: ","))]}"# }
            return #"{"sections":[\#(texts.joined(separator: ","))]}"#
        }

        @Test func `each form says why it starts anew, goes on from a revision, and ends after one state`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "menu")
            try daemon.succeed("section", "add", "menu", "soups")
            try daemon.succeed("append", "menu", "leek", "n:=1")
            let reader = Reader(try daemon.connect())
            let epoch = try reader.request("snapshot", #""list":"menu""#)["epoch"] as? String ?? ""
            for form in ["snapshots", "patches"] {
                let deliver = #","deliver":"\#(form)""#
                let number = try reader.subscribe("menu", deliver)
                try reader.read { reader[number].groups == 1 }
                #expect(reader[number].reason == "initial")
                try reader.request(
                    "apply", #""list":"menu","usingReloadData":true,"snapshot":{"sections":[{"id":"\#(form)"}]}"#)
                #expect(reader[number].reason == "reload")
                let revision = reader[number].revision ?? 0
                // A redraw is an update, though the state is equal.
                try reader.request(
                    "transact", #""list":"menu","operations":[{"op":"reloadSections","sections":["\#(form)"]}]"#)
                #expect(reader[number].revision == revision + 1)
                #expect(reader[number].reason == nil)

                // Resuming from there gives the changes in the same form.
                let since = #","since":{"epoch":"\#(epoch)","revision":\#(revision)}"#
                let result = try reader.request("subscribe", #""list":"menu"\#(deliver)\#(since)"#)
                #expect(result["resumed"] as? Bool == true)
                guard let resumed = result["subscription"] as? Int else { throw Failure("not subscribed") }
                if form == "snapshots" {
                    try reader.read { reader[resumed].groups == 1 }
                    #expect(reader[resumed].reason == nil)
                    #expect(reader[resumed].document?.root == reader[number].document?.root)
                } else {
                    let line = try reader.client.line() ?? ""
                    #expect(line.contains(#""method":"patch""#) && line.contains(#""from":\#(revision),"#))
                }
                let other = try reader.subscribe("menu", #"\#(deliver),"since":{"epoch":"another","revision":1}"#)
                try reader.read { reader[other].groups == 1 }
                #expect(reader[other].reason == "epoch")

                let once = try reader.subscribe("menu", #"\#(deliver),"once":true"#)
                try reader.read { reader[once].groups == 1 }
                try reader.client.send(#"{"id":1,"method":"unsubscribe","params":{"subscription":\#(once)}}"#)
                #expect(try reader.client.line()?.contains("noSuchSubscription") == true)
                for number in [number, resumed, other] {
                    try reader.request("unsubscribe", #""subscription":\#(number)"#)
                }
            }
        }

        @Test func `nothing stands in the middle of a long line`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "rows", "--volatile")
            let rows = (1...8_000).map { #"{"id":"\#($0)","text":"\#(String(repeating: "x", count: 60))"}"# }
            try daemon.succeed("apply", "rows", "--from", "ndjson", input: rows.joined(separator: "\n"))
            let client = try daemon.connect()
            let reader = Reader(client)
            // All in one write: three subscriptions, questions and changes, and a reader that begins late.
            var lines = ["snapshots", "patches", "snapshots"].map {
                #"{"id":0,"method":"subscribe","params":{"list":"rows","deliver":"\#($0)"}}"#
            }
            for number in 1...40 {
                lines.append(
                    #"{"id":\#(number),"method":"transact","params":{"list":"rows","operations":[{"op":"moveItem","item":"\#(number)","after":"7000"}]}}"#
                )
                lines.append("ping")
            }
            try client.send(lines.joined(separator: "\n"))
            usleep(300_000)
            var replies = 0
            while replies < 3 + 80 { if try reader.read() != nil { replies += 1 } }
            let answer = PatchedDocument(try reader.request("snapshot", #""list":"rows""#)["snapshot"] ?? "")
            for number in 1...3 {
                #expect(reader[number].revision == 41)
                #expect(reader[number].document?.root == answer.root)
            }
        }

        @Test func `those who stop in the middle of a long line hold none of it`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "rows", "--volatile")
            let rows = (1...10_000).map { #"{"id":"\#($0)","text":"\#(String(repeating: "x", count: 180))"}"# }
            try daemon.succeed("apply", "rows", "--from", "ndjson", input: rows.joined(separator: "\n"))
            let writer = Reader(try daemon.connect())
            // Lines of two megabytes. One client reads, so that the daemon has allocated all that this needs.
            let good = Reader(try daemon.connect())
            let number = try good.subscribe("rows", #","deliver":"snapshots""#)
            try good.read { good[number].groups == 1 }
            let before = daemon.program.residentLength
            let stalled = try (0..<60).map { index in
                let client = try daemon.connect()
                try client.send(
                    #"{"id":1,"method":"subscribe","params":{"list":"rows","deliver":"\#(index % 2 == 0 ? "snapshots" : "patches")"}}"#
                )
                _ = try client.line()
                try eventually("beginning of its line") { client.isSilent(forSeconds: 0.1) ? nil : () }
                return client
            }
            for step in 1...50 {
                try writer.request(
                    "transact",
                    #""list":"rows","operations":[{"op":"reconfigureItems","items":[{"id":"\#(step)","content":{"n":\#(step)}}]}]"#
                )
            }
            try good.read { good[number].revision == 51 }
            // 60 lines would be 120 MB. Memory is freed in the background with a delay.
            try eventually("daemon that has no more than \(before) bytes and 24 MiB") {
                daemon.program.residentLength - before < 24 << 20 ? () : nil
            }
            // They read again: the unfinished line, and then directly the last state.
            for client in stalled.prefix(4) {
                let reader = Reader(client)
                while reader[1].revision != 51 { _ = try reader.read() }
                #expect(reader[1].groups == 2)
                #expect(reader[1].document?.root == good[number].document?.root)
            }
        }
    }
}
