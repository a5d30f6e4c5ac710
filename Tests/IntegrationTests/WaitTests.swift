import Foundation
import Testing

extension Integration {
    struct WaitTests {
        private static func subscribe(_ more: String = "") -> String {
            #"{"id":"s","method":"subscribe","params":{"list":"bar","ifAbsent":"wait"\#(more)}}"#
        }

        private static func create(_ id: Int, _ durability: String) -> String {
            #"{"id":\#(id),"method":"createList","params":{"list":"bar","durability":"\#(durability)"}}"#
        }

        private static func delete(_ id: Int) -> String {
            #"{"id":\#(id),"method":"deleteList","params":{"list":"bar"}}"#
        }

        /// Returns methods, reasons and ids, in order of arrival.
        private static func read(_ count: Int, from client: RawClient) throws -> [String] {
            try (0..<count).map { _ in
                let line = try client.line() ?? ""
                guard let message = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                    throw Failure("no object: \(line)")
                }
                guard let method = message["method"] as? String else { return "\(message["id"] ?? "")" }
                let reason = (message["params"] as? [String: Any])?["reason"] as? String
                return [method, reason].compactMap { $0 }.joined(separator: " ")
            }
        }

        @Test(arguments: ["durable", "volatile"])
        func `a subscriber outlives a list that is deleted and brought back, and hears of it before who did that`(
            durability: String
        ) throws {
            let daemon = try Daemon()
            let client = try daemon.connect()
            try client.send(Self.create(1, durability) + "\n" + Self.subscribe())
            #expect(try Self.read(3, from: client) == ["1", "s", "reset initial"])
            for life in 0..<3 {
                let id = 10 * (life + 1)
                let undelete = #"{"id":\#(id + 1),"method":"undeleteList","params":{"list":"bar"}}"#
                let append =
                    #"{"id":\#(id + 2),"method":"transact","params":{"list":"bar","operations":[{"op":"appendItems","items":[{"id":"\#(id)"}]}]}}"#
                // In the same epoch, and perhaps in one commit group and one iteration.
                try client.send([Self.delete(id), undelete, append].joined(separator: "\n"))
                var came = try Self.read(3, from: client)
                while !came.contains("\(id + 2)") { came += try Self.read(1, from: client) }
                #expect(came.first == "listDeleted")
                #expect(came.filter { $0 == "reset epoch" }.count == 1)
                #expect(came.filter { Int($0) != nil } == ["\(id)", "\(id + 1)", "\(id + 2)"])
                let reset = try #require(came.firstIndex(of: "reset epoch"))
                #expect(try reset < #require(came.firstIndex(of: "\(id + 1)")))
            }
            #expect(try client.reply(to: "history bar").contains(#""revision":3,"oldest":0,"#))
        }

        @Test(arguments: ["durable", "volatile"])
        func `who renames a list, follows it and waits for its new name hears of both before the reply`(
            durability: String
        ) throws {
            let daemon = try Daemon()
            let client = try daemon.connect()
            let other = #"{"id":"t","method":"subscribe","params":{"list":"baz","ifAbsent":"wait"}}"#
            try client.send([Self.create(1, durability), Self.subscribe(), other].joined(separator: "\n"))
            #expect(try Self.read(4, from: client).sorted() == ["1", "reset initial", "s", "t"])
            for (id, names) in [("bar", "baz"), ("baz", "bar"), ("bar", "baz")].enumerated() {
                try client.send(
                    #"{"id":\#(id),"method":"renameList","params":{"list":"\#(names.0)","to":"\#(names.1)"}}"#)
                let came = try Self.read(3, from: client).map { $0.prefix { $0 != " " } }
                #expect(came.prefix(2).sorted() == ["listDeleted", "reset"], "\(came)")
                #expect(came.last == "\(id)", "\(came)")
            }
        }

        @Test(arguments: ["durable", "volatile"])
        func `a subscriber outlives its list, and hears of each life of it before the one who made it`(
            durability: String
        ) throws {
            let daemon = try Daemon()
            let client = try daemon.connect()
            #expect(
                try client.reply(to: Self.subscribe())
                    == #"{"jsonrpc":"2.0","id":"s","result":{"subscription":1,"list":"bar"}}"#)
            try client.send(Self.create(1, durability))
            #expect(try Self.read(2, from: client) == ["reset initial", "1"])
            for life in 0..<3 {
                let id = 10 * (life + 1)
                // All in one write, so that they may be in one commit group and one iteration.
                let append =
                    #"{"id":\#(id + 2),"method":"transact","params":{"list":"bar","operations":[{"op":"appendSections","sections":[{"id":"s"}]}]}}"#
                try client.send([Self.delete(id), Self.create(id + 1, durability), append].joined(separator: "\n"))
                var came = try Self.read(3, from: client)
                while !came.contains("\(id + 2)") { came += try Self.read(1, from: client) }
                #expect(came.first == "listDeleted")
                #expect(came.filter { $0 == "reset epoch" }.count == 1)
                #expect(came.filter { Int($0) != nil } == ["\(id)", "\(id + 1)", "\(id + 2)"])
                // The creation is known before its reply.
                let reset = try #require(came.firstIndex(of: "reset epoch"))
                #expect(try reset < #require(came.firstIndex(of: "\(id + 1)")))
            }
            #expect(try client.reply(to: "ping").contains(#""result":{}"#))
        }

        @Test(arguments: ["", #","deliver":"patches""#, #","deliver":"snapshots","once":true"#])
        func `the first state comes when somebody else makes the list`(more: String) throws {
            let daemon = try Daemon()
            let client = try daemon.connect()
            _ = try client.reply(to: Self.subscribe(more))
            #expect(client.isSilent())
            try daemon.succeed("create", "bar")
            let first = more.isEmpty ? "reset initial" : "snapshot initial"
            #expect(try Self.read(1, from: client) == [first])
            try daemon.succeed("delete", "bar")
            try daemon.succeed("create", "bar")
            if more.contains("once") {
                #expect(client.isSilent())
                #expect(
                    try client.reply(to: #"{"id":1,"method":"unsubscribe","params":{"subscription":1}}"#).contains(
                        "noSuch"))
            } else {
                #expect(
                    try Self.read(2, from: client) == ["listDeleted", more.isEmpty ? "reset epoch" : "snapshot epoch"])
            }
        }

        @Test func `a subscriber that waits says so in bookmarks, may have sent its last line, and ends when it likes`()
            throws
        {
            let daemon = try Daemon()
            let quiet = try daemon.connect()
            _ = try quiet.reply(to: Self.subscribe(#","bookmark":50"#))
            let bookmark = #"{"jsonrpc":"2.0","method":"bookmark","params":{"subscription":1,"list":"bar"}}"#
            for _ in 0..<3 { #expect(try quiet.line() == bookmark) }
            quiet.close()

            let half = try daemon.connect()
            _ = try half.reply(to: Self.subscribe())
            half.finishSending()
            let other = try daemon.connect()
            _ = try other.reply(to: Self.subscribe(#","since":{"epoch":"x","revision":3}"#))
            #expect(
                try other.reply(to: #"{"id":1,"method":"unsubscribe","params":{"subscription":1}}"#).contains("result"))
            let third = try daemon.connect()
            #expect(
                try third.reply(to: Self.subscribe(#","since":{"epoch":"x","revision":3}"#))
                    == #"{"jsonrpc":"2.0","id":"s","result":{"subscription":1,"list":"bar","resumed":false}}"#)
            usleep(100_000)
            try daemon.succeed("create", "bar")
            #expect(try Self.read(1, from: half) == ["reset initial"])
            #expect(try Self.read(1, from: third) == ["reset epoch"])
            #expect(other.isSilent())
        }

        @Test func `a daemon stops while somebody waits`() throws {
            let daemon = try Daemon()
            let client = try daemon.connect()
            _ = try client.reply(to: Self.subscribe(#","bookmark":60000,"minInterval":1000"#))
            daemon.program.end(with: SIGTERM)
            #expect(try client.line() == nil)
        }

        @Test func `diffablectl watch waits for a list, and shows each life of it`() throws {
            let daemon = try Daemon()
            let lines = try daemon.startCompanion([
                "watch", "bar", "--wait", "--json", "--deliver", "patches", "--min-interval", "1",
            ])
            let drawn = try daemon.startCompanion(["watch", "bar", "--wait"])
            _ = try eventually("two subscriptions") {
                try daemon.succeed("status").contains("subscriptions: 2") ? true : nil
            }
            try daemon.succeed("create", "bar")
            try daemon.succeed("section", "add", "bar", "left")
            try daemon.succeed("append", "bar", "clock")
            _ = try eventually("the item") {
                drawn.output.contains("clock") && lines.output.contains("clock") ? true : nil
            }
            try daemon.succeed("delete", "bar")
            try daemon.succeed("create", "bar")
            try daemon.succeed("section", "add", "bar", "right")
            _ = try eventually("the next life") {
                drawn.output.contains("right") && lines.output.contains("right") ? true : nil
            }
            #expect(lines.output.contains(#""method":"snapshot""#) && lines.output.contains(#""method":"patch""#))
            #expect(lines.output.contains(#""method":"listDeleted""#))
            lines.end(with: SIGTERM)
            drawn.end(with: SIGTERM)
            let refused = try daemon.companion("watch", "bar", "--deliver", "patches")
            #expect(refused.status != 0 && refused.complaints.contains("--deliver can be used only with --json"))
        }
    }
}
