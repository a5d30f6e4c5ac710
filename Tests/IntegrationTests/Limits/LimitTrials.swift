import Foundation
import Testing

@testable import diffabled

extension LimitTrial {
    static var all: [Setting: LimitTrial] {
        clients.merging(lines) { $1 }.merging(lists) { $1 }.merging(past) { $1 }
    }

    private static func asking(_ line: @escaping (Int) -> String) -> Sort {
        .refuses { bench in { try bench.client.reply(to: line($0)) } }
    }

    // MARK: Clients

    private static var clients: [Setting: LimitTrial] {
        [
            // The test's user is the daemon's, for whom eight more are kept.
            .connectionsMax: LimitTrial(max: 5, sort: .refuses { connecting($0, beside: 8) }),
            .connectionsPerUserMax: LimitTrial(max: 5, sort: .refuses { connecting($0, beside: 0) }),
            .subscriptionsPerConnectionMax: LimitTrial(
                max: 3,
                sort: .refuses { bench in
                    var made = 0
                    return { count in
                        var reply = ""
                        while made < count {
                            made += 1
                            try bench.client.send(
                                #"{"id":\#(made),"method":"subscribe","params":{"list":"list"}}"#)
                            reply = try bench.client.lines(until: #""id":\#(made),"#).last ?? ""
                        }
                        return reply
                    }
                }),
            .requestsPerSecondMax: LimitTrial(max: 100, sort: .other(checkRequestsPerSecond)),
            .heldLengthMax: LimitTrial(
                max: 70_000,
                sort: asking { padded(transact(append(#"{"id":"a"}"#), members: #","more":true"#), to: $0) }),
            .silentAgeMax: LimitTrial(max: 1, sort: .other(checkSilentAge)),
        ]
    }

    /// Connects until there are so many, and gives what the last one reads.
    private static func connecting(_ bench: Bench, beside kept: Int) -> (Int) throws -> String {
        var clients = [bench.client]
        return { count in
            var reply = ""
            while clients.count < count + kept {
                let client = try bench.daemon.connect()
                clients.append(client)
                // It may have been closed already.
                try? client.send("ping")
                reply = try client.line() ?? "closed without a word"
                if reply.contains("error") { #expect(try client.line() == nil, "it is closed") }
            }
            return reply
        }
    }

    private static func checkRequestsPerSecond(_ bench: Bench) throws {
        let second = try bench.daemon.connect()
        let start = ContinuousClock.now
        // As many as there may be at once, and half a second's more. Two lines were sent before.
        let count = bench.max + bench.max / 2
        try bench.client.send((1...count).map { #"{"id":\#($0),"method":"ping"}"# }.joined(separator: "\n"))
        for number in 1...count {
            #expect(try bench.client.line() == #"{"jsonrpc":"2.0","id":\#(number),"result":{}}"#)
        }
        let time = start.duration(to: .now)
        // Tokens that came while the daemon was being asked before are no more than the bucket holds.
        #expect(time > .milliseconds(400), "\(count) answers took \(time)")
        // Another connection of the same user has its turn beside one that asks without end.
        try bench.client.send(String(repeating: "ping\n", count: 4 * bench.max))
        #expect(try second.reply(to: #"{"id":7,"method":"ping"}"#).contains(#""id":7"#))
        #expect(start.duration(to: .now) < .seconds(3))
    }

    private static func checkSilentAge(_ bench: Bench) throws {
        let silent = try bench.daemon.connect()
        // A line without an end is none.
        let slow = try bench.daemon.connect()
        try slow.send(Array("pin".utf8))
        for client in [silent, slow] {
            let line = try #require(try client.line(within: 10))
            #expect(line.contains(#""limit":"silentAgeMax","max":1"#) && line.contains("tooLarge"))
            #expect(try client.line() == nil)
        }
        #expect(try bench.client.reply(to: "ping").contains("result"), "it has sent a line long ago")
    }

    // MARK: Lines

    private static var lines: [Setting: LimitTrial] {
        [
            .lineLengthMax: LimitTrial(
                max: 9_000, settings: "contentLengthMax: 0",
                sort: asking { padded(#"{"id":1,"method":"ping"}"#, to: $0) }),
            .lineOutLengthMax: LimitTrial(max: 9_000, settings: "contentLengthMax: 0", sort: .other(checkLinesOut)),
            .depthMax: LimitTrial(
                max: 16, settings: "levelsMax: 4",
                sort: asking { depth in
                    // Six brackets stand around the content.
                    let content = String(repeating: "[", count: depth - 6) + String(repeating: "]", count: depth - 6)
                    return transact(append(#"{"id":"a","content":\#(content)}"#))
                }),
            .operationsMax: LimitTrial(
                max: 4,
                sort: asking { count in
                    let operation = #"{"op":"deleteItems","items":["a"],"ifPresent":true}"#
                    return transact([String](repeating: operation, count: count).joined(separator: ","))
                }),
            .transactionLengthMax: LimitTrial(
                max: 5_000,
                sort: .refuses { bench in
                    { length in
                        let first = padded(transact(append(#"{"id":"a"}"#), members: #","more":true"#), to: 2_000)
                        #expect(try bench.client.reply(to: first).contains(#""staged":true"#))
                        let last = transact(#"{"op":"deleteItems","items":["a"]}"#, members: #","more":false"#)
                        return try bench.client.reply(to: padded(last, to: length - 2_000))
                    }
                }),
        ]
    }

    /// A line keeps less than this free: to say that another one follows, and for subscriptions with long numbers.
    private static let roomForMore = 64

    /// A first state that fits into a line is one, and one that is a byte too long makes two that fit.
    private static func checkLinesOut(_ bench: Bench) throws {
        // How long its lines are, a client knows from its beginning.
        let client = try bench.daemon.connect()
        for (list, length) in [("a", bench.max - roomForMore), ("b", bench.max + 1)] {
            _ = try client.reply(
                to: #"{"id":1,"method":"createList","params":{"list":"\#(list)","durability":"volatile"}}"#)
            func append(_ id: String) throws {
                _ = try client.reply(
                    to: #"{"id":1,"method":"transact","params":{"list":"\#(list)","operations":["#
                        + #"{"op":"appendSections","sections":[{"id":"\#(id)"}]}]}}"#)
            }
            /// Its lines, with their newlines.
            func firstState() throws -> [Int] {
                try client.send(
                    #"{"id":1,"method":"subscribe","params":{"list":"\#(list)","once":true}}"#)
                _ = try client.line()
                var lengths: [Int] = []
                while let line = try client.line() {
                    lengths.append(line.utf8.count + 1)
                    if !line.hasSuffix(#""more":true}}"#) { break }
                }
                return lengths
            }
            // Numbers of subscriptions and revisions have two digits by then.
            for number in 10..<44 { try append("\(number)" + String(repeating: "x", count: 240)) }
            _ = try (0..<9).map { _ in try firstState() }
            let soFar = try firstState()
            #expect(soFar.count == 1)
            // What an id takes beside its bytes: `,{"id":""}`.
            try append(String(repeating: "y", count: length - soFar[0] - 10))
            let lengths = try firstState()
            if length <= bench.max {
                #expect(lengths == [length])
            } else {
                #expect(lengths.count == 2 && lengths.allSatisfy { $0 <= bench.max }, "\(lengths)")
            }
        }
    }

    // MARK: Lists

    private static var lists: [Setting: LimitTrial] {
        [
            .idLengthMax: LimitTrial(
                max: 64, sort: asking { transact(append(#"{"id":"\#(String(repeating: "i", count: $0))"}"#)) }),
            .contentLengthMax: LimitTrial(
                max: 10,
                sort: asking {
                    transact(append(#"{"id":"a","content":"\#(String(repeating: "c", count: $0 - 2))"}"#))
                }),
            .levelsMax: LimitTrial(
                max: 3,
                sort: asking { levels in
                    let items = (1..<levels).reduce(#"{"id":"i0"}"#) { #"{"id":"i\#($1)","children":[\#($0)]}"# }
                    return #"{"id":1,"method":"apply","params":{"list":"list","section":"s","snapshot":[\#(items)]}}"#
                }),
            .itemsMax: LimitTrial(
                max: 6,
                sort: asking { count in
                    let items = (1...count).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
                    return #"{"id":1,"method":"apply","params":{"list":"list","section":"s","snapshot":[\#(items)]}}"#
                }),
            // There is one already.
            .listsMax: LimitTrial(
                max: 2,
                sort: asking {
                    #"{"id":1,"method":"createList","params":{"list":"list \#($0)","durability":"volatile"}}"#
                }),
            .viewTermsMax: LimitTrial(
                max: 3,
                sort: asking { words in
                    let search = (1...words).map { "word\($0)" }.joined(separator: " ")
                    return #"{"id":1,"method":"snapshot","params":{"list":"list","view":{"search":"\#(search)"}}}"#
                }),
            .windowRowsMax: LimitTrial(
                max: 3,
                sort: asking {
                    #"{"id":1,"method":"snapshot","params":{"list":"list","view":{"window":{"offset":0,"limit":\#($0)}}}}"#
                }),
        ]
    }

    // MARK: The past

    private static var past: [Setting: LimitTrial] {
        [
            // In a list of two items, to collapse or expand one counts with 640 bytes: a state, and a path of two bits.
            .historyLengthMax: LimitTrial(
                max: 3 * 640,
                sort: .other { bench in
                    _ = try bench.client.reply(to: transact(append(#"{"id":"a","children":[{"id":"b"}]}"#)))
                    for revision in 3...8 {
                        let verb = revision % 2 == 1 ? "expandItems" : "collapseItems"
                        _ = try bench.client.reply(to: transact(#"{"op":"\#(verb)","items":["a"]}"#))
                        guard revision >= 6 else { continue }
                        let kept = #""revision":\#(revision),"oldest":\#(revision - 3),"#
                        #expect(try bench.client.reply(to: "history list").contains(kept))
                    }
                }),
            .historyAgeMax: LimitTrial(
                max: 1,
                sort: .other { bench in
                    _ = try bench.client.reply(to: transact(append(#"{"id":"a"}"#)))
                    #expect(try bench.client.reply(to: "history list").contains(#""revision":2,"oldest":0,"#))
                    usleep(1_100_000)
                    #expect(try bench.client.reply(to: "history list").contains(#""revision":2,"oldest":2,"#))
                }),
            .requestKeysMax: LimitTrial(
                max: 3,
                sort: .other { bench in
                    for key in 1...bench.max { _ = try bench.client.reply(to: keyed(key)) }
                    #expect(try bench.client.reply(to: keyed(1, item: "other")).contains("requestKeyReused"))
                    _ = try bench.client.reply(to: keyed(bench.max + 1))
                    #expect(try bench.client.reply(to: keyed(1, item: "other")).contains(#""changed":true"#))
                }),
            .requestKeyAgeMax: LimitTrial(
                max: 1,
                sort: .other { bench in
                    _ = try bench.client.reply(to: keyed(1))
                    #expect(try bench.client.reply(to: keyed(1, item: "other")).contains("requestKeyReused"))
                    usleep(1_100_000)
                    #expect(try bench.client.reply(to: keyed(1, item: "other")).contains(#""changed":true"#))
                }),
        ]
    }

    private static func keyed(_ key: Int, item: String? = nil) -> String {
        transact(append(#"{"id":"\#(item ?? "item \(key)")"}"#), members: #","requestKey":"key \#(key)""#)
    }
}
