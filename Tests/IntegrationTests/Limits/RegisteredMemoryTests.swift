import Foundation
import TestSupport
import Testing

extension Integration {
    /// The memory of one user's subscriptions, views and handlers.
    @Suite struct RegisteredMemoryTests {
        /// Registrations that take the most memory for their counted bytes.
        struct Worst: CustomTestStringConvertible {
            var testDescription: String
            /// Returns the request with this number.
            var line: @Sendable (Int) -> String

            static func view(_ description: String, _ view: String) -> Worst {
                Worst(testDescription: description) { _ in
                    #"{"id":1,"method":"subscribe","params":{"list":"none","ifAbsent":"wait","view":\#(view)}}"#
                }
            }
        }

        private static func joined(_ count: Int, _ element: (Int) -> String) -> String {
            (0..<count).map(element).joined(separator: ",")
        }

        private static let worst: [Worst] = [
            Worst(testDescription: "subscriptions without a view") { number in
                #"{"id":1,"method":"subscribe","params":{"list":"none \#(number)","ifAbsent":"wait"}}"#
            },
            Worst(testDescription: "subscriptions with a pace") { number in
                let list = "\(number) " + String(repeating: "n", count: 240)
                return
                    #"{"id":1,"method":"subscribe","params":{"list":"\#(list)","ifAbsent":"wait","minInterval":9,"bookmark":3600000}}"#
            },
            .view("a path of many segments", #"{"sort":["\#(String(repeating: "/a", count: 1_024))"]}"#),
            .view("empty segments", #"{"sort":["\#(String(repeating: "/", count: 1_024))"]}"#),
            .view("many short paths", #"{"sort":[\#(joined(64) { #""/\#($0)""# })]}"#),
            .view("short ids", #"{"expansion":"own","expanded":[\#(joined(8_192) { "\"\($0)\"" })]}"#),
            .view(
                "long ids",
                #"{"expansion":"own","toggled":[\#(joined(500) { "\"\($0)\(String(repeating: "i", count: 250))\"" })]}"#
            ),
            .view("sections", #"{"sections":[\#(joined(8_192) { "\"\($0)\"" })]}"#),
            .view(
                "a long string to compare",
                #"{"where":{"path":"/a","equals":"\#(String(repeating: "x", count: 120_000))"}}"#),
            .view(
                "many short tests",
                #"{"where":{"or":[\#(joined(63) { #"{"path":"/\#($0)","equals":\#($0)}"# })]}}"#),
            .view(
                "excluded members",
                #"{"search":{"words":"a","in":[[{"firstExcept":[\#(joined(1_000) { "\"\($0)\"" })]}]]}}"#),
            .view(
                "kinds to search",
                #"{"search":{"words":"a","in":[],"kinds":[\#(joined(500) { #"{"kind":"\#($0)","in":["/a"]}"# })]}}"#),
            Worst(testDescription: "handlers of many short actions") { number in
                #"{"id":1,"method":"handle","params":{"list":"list","requests":["perform"],"actions":[\#(joined(256) { "\"\(number) \($0)\"" })]}}"#
            },
            Worst(testDescription: "handlers of many long actions") { number in
                let rest = String(repeating: "a", count: 240)
                return
                    #"{"id":1,"method":"handle","params":{"list":"list","requests":["perform"],"actions":[\#(joined(256) { "\"\(number) \($0) \(rest)\"" })]}}"#
            },
            Worst(testDescription: "handlers of one action") { number in
                #"{"id":1,"method":"handle","params":{"list":"list","requests":["perform"],"actions":["\#(number)"]}}"#
            },
        ]

        private static let max = 24 << 20

        @Test(.alone, arguments: worst)
        func `no more memory is taken than is counted, and it is given back`(worst: Worst) throws {
            let daemon = try Daemon(
                configured:
                    "registeredLengthMax: \(Self.max)\nsubscriptionsPerConnectionMax: 100000\nhandlersPerConnectionMax: 100000\n"
            )
            let publisher = try daemon.connect()
            _ = try publisher.reply(
                to: #"{"id":1,"method":"createList","params":{"list":"list","durability":"volatile"}}"#)
            var client = try daemon.connect()
            _ = try client.reply(to: "ping")
            let before = daemon.program.residentLength
            var (made, reply) = (0, "")
            while made < 200_000 {
                reply = try client.reply(to: worst.line(made))
                if reply.contains("error") { break }
                made += 1
                // Several connections count as one user.
                if made % 5_000 == 0 { client = try keep(client, connect: daemon) }
            }
            #expect(reply.contains(#""limit":"registeredLengthMax","max":\#(Self.max)"#), "\(reply)")
            #expect(made > 0)
            let taken = daemon.program.residentLength - before
            print(
                "\(worst.testDescription): \(made), \(taken >> 10) KiB, \(taken * 100 / Self.max) % of what is counted")
            #expect(taken < Self.max + Self.max / 4, "\(made) take \(taken) bytes")
            for client in kept { client.close() }
            client.close()
            // An eighth and a MiB are too little to be returned to the system.
            _ = try eventually("memory that is given back") {
                _ = try publisher.reply(to: "ping")
                return daemon.program.residentLength - before < Self.max / 8 + (3 << 20) ? () : nil
            }
            let again = try daemon.connect()
            #expect(try again.reply(to: worst.line(0)).contains("result"))
        }

        private let clients = Clients()
        private var kept: [RawClient] { clients.kept }

        private final class Clients {
            var kept: [RawClient] = []
        }

        private func keep(_ client: RawClient, connect daemon: Daemon) throws -> RawClient {
            clients.kept.append(client)
            return try daemon.connect()
        }

        // MARK: Rows

        @Test(.alone, .withSeveralUsers) func `the rows of views count, and too many end the subscription`() throws {
            let daemon = try Daemon.forEverybody(configured: "registeredLengthMax: 1000000\n")
            let publisher = try daemon.connect()
            let alice = Somebody.alice
            _ = try publisher.reply(
                to: #"{"id":1,"method":"createList","params":{"list":"list","durability":"volatile","mode":"0644"}}"#)
            func fill(_ count: Int) throws {
                let items = Self.joined(count) { #"{"id":"\#($0)"}"# }
                let reply = try publisher.reply(
                    to: #"{"id":1,"method":"apply","params":{"list":"list","section":"s","snapshot":[\#(items)]}}"#)
                #expect(reply.contains("result"), "\(reply)")
            }
            func subscribe(_ number: Int) -> String {
                #"{"id":\#(number),"method":"subscribe","params":{"list":"list","view":{"sort":["/\#(number)"]}}}"#
            }
            // Ten thousand rows are 320,000 bytes: there is room for three views of them, not for four.
            try fill(10_000)
            let program = try daemon.startOpenClient(as: alice, sending: (1...4).map(subscribe))
            _ = try eventually("refusal") { program.output.contains(#""limit":"registeredLengthMax""#) ? true : nil }
            let lines = program.outputLines
            #expect(lines.filter { $0.contains(#""result":{"subscription""#) }.count == 3)
            #expect(lines.contains { $0.hasPrefix(#"{"jsonrpc":"2.0","id":4,"error""#) })
            // Root's views are not counted.
            for number in 1...5 {
                let root = try daemon.connect()
                #expect(try root.reply(to: subscribe(number)).contains("result"))
            }
            try fill(20_000)
            let end = try eventually("an end") {
                program.outputLines.first { $0.contains("subscriptionEnded") }
            }
            #expect(end.contains(#""reason":"tooLarge""#) && end.contains("registeredLengthMax"), "\(end)")
        }

        // MARK: Counting

        /// The model of a connection.
        private final class Model {
            let client: RawClient
            var subscriptions: [Int: Int] = [:]
            var subscriptionsMade = 0
            /// With its list and its actions.
            var handlers: [Int: (length: Int, list: String, actions: [String])] = [:]
            var handlersMade = 0

            init(_ client: RawClient) { self.client = client }

            var length: Int { subscriptions.values.reduce(0, +) + handlers.values.reduce(0) { $0 + $1.length } }
        }

        @Test func `what is counted is what is registered, through random requests and lost connections`() throws {
            let max = 40_000
            let seed = UInt64.random(in: 0...UInt64.max)
            var random = SplitMix64(seed: seed)
            let daemon = try Daemon(configured: "registeredLengthMax: \(max)\n")
            let owner = try daemon.connect()
            let lists = ["a", "bb", "ccc"]
            func create(_ list: String) throws {
                _ = try owner.reply(
                    to: #"{"id":1,"method":"createList","params":{"list":"\#(list)","durability":"volatile"}}"#)
            }
            for list in lists { try create(list) }
            var models: [Model] = []
            /// Returns the answer with this id, skipping notifications.
            func ask(_ model: Model, _ line: String) throws -> String {
                try model.client.send(line)
                return try #require(try model.client.lines(until: #""id":9,"#).last)
            }
            func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
            for step in 0..<600 {
                if models.isEmpty || chance(12) == 0 { models.append(Model(try daemon.connect())) }
                let model = models[chance(models.count)]
                let list = lists[chance(lists.count)]
                let total = models.reduce(0) { $0 + $1.length }
                switch chance(10) {
                case 0...3:
                    let length = 1_536 + list.utf8.count
                    let reply = try ask(
                        model, #"{"id":9,"method":"subscribe","params":{"list":"\#(list)","ifAbsent":"wait"}}"#)
                    #expect(reply.contains("result") == (total + length <= max), "seed \(seed), step \(step): \(reply)")
                    guard reply.contains("result") else { break }
                    model.subscriptionsMade += 1
                    model.subscriptions[model.subscriptionsMade] = length
                case 4, 5:
                    let actions = Set((0...chance(8)).map { _ in "\(chance(12))" }).sorted()
                    let isTaken = models.contains {
                        $0.handlers.values.contains { $0.list == list && !Set($0.actions).isDisjoint(with: actions) }
                    }
                    let length = actions.reduce(1_024) { $0 + 192 + $1.utf8.count }
                    let names = actions.map { "\"\($0)\"" }.joined(separator: ",")
                    let replaces = chance(2) == 0
                    let reply = try ask(
                        model,
                        #"{"id":9,"method":"handle","params":{"list":"\#(list)","requests":["perform"],"actions":[\#(names)],"replace":\#(replaces)}}"#
                    )
                    let fits = total + length <= max && (replaces || !isTaken)
                    #expect(reply.contains("result") == fits, "seed \(seed), step \(step): \(reply)")
                    guard reply.contains("result") else { break }
                    for other in models {
                        other.handlers = other.handlers.filter {
                            $0.value.list != list || Set($0.value.actions).isDisjoint(with: actions)
                        }
                    }
                    model.handlersMade += 1
                    model.handlers[model.handlersMade] = (length, list, actions)
                case 6:
                    guard let number = model.subscriptions.keys.sorted().first else { break }
                    _ = try ask(model, #"{"id":9,"method":"unsubscribe","params":{"subscription":\#(number)}}"#)
                    model.subscriptions[number] = nil
                case 7:
                    guard let number = model.handlers.keys.sorted().first else { break }
                    _ = try ask(model, #"{"id":9,"method":"unhandle","params":{"handler":\#(number)}}"#)
                    model.handlers[number] = nil
                case 8:
                    _ = try owner.reply(to: #"{"id":1,"method":"deleteList","params":{"list":"\#(list)"}}"#)
                    try create(list)
                    for other in models { other.handlers = other.handlers.filter { $0.value.list != list } }
                default:
                    model.client.close()
                    models.removeAll { $0 === model }
                    _ = try eventually("end of a connection") {
                        let clients = try owner.reply(to: "clients")
                        return clients.matches(of: /"client":/).count == models.count + 1 ? () : nil
                    }
                }
            }
        }
    }
}
