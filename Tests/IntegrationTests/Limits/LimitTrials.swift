import DiffableServer
import Foundation
import Testing

extension LimitTrial {
    static var all: [Limit: LimitTrial] {
        clients.merging(lines) { $1 }.merging(lists) { $1 }.merging(handlers) { $1 }.merging(past) { $1 }
    }

    private static func asking(_ line: @escaping (Int) -> String) -> Sort {
        .refuses { bench in { try bench.client.reply(to: line($0)) } }
    }

    /// Returns the last reply to these lines of another user, because the test's own user has no limit.
    private static func asking(as user: Somebody, _ lines: @escaping (Int) -> [String]) -> Sort {
        guard Somebody.isPossible else { return .other { _ in print("skipped: only root can be another user") } }
        return .refuses { bench in
            chmod(bench.daemon.directory.path, 0o755)
            return { try bench.daemon.replies(to: user, lines($0)).last ?? "" }
        }
    }

    // MARK: Clients

    private static var clients: [Limit: LimitTrial] {
        [
            // The test's user is the daemon's, for which eight more are reserved.
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
                // Parts of root do not count. 192 bytes are for an operation and its item.
                sort: asking(as: .alice) {
                    [padded(transact(append(#"{"id":"a"}"#), members: #","more":true"#), to: $0 - 192)]
                }),
            // A subscription counts as 1.5 KiB and the name of its list.
            .registeredLengthMax: LimitTrial(
                max: 6_300,
                sort: .refuses { bench in
                    for _ in 0..<3 { _ = try bench.client.reply(to: waiting(forNameOfLength: 1)) }
                    return { length in
                        let reply = try bench.client.reply(to: waiting(forNameOfLength: length - 3 * 1_537 - 1_536))
                        _ = try bench.client.reply(to: #"{"id":1,"method":"unsubscribe","params":{"subscription":4}}"#)
                        return reply
                    }
                }),
            .silentAgeMax: LimitTrial(max: 1, sort: .other(checkSilentAge)),
        ]
    }

    private static func waiting(forNameOfLength length: Int) -> String {
        let name = String(repeating: "w", count: length)
        return #"{"id":1,"method":"subscribe","params":{"list":"\#(name)","ifAbsent":"wait"}}"#
    }

    /// Connects until `count` clients exist besides the kept ones, and returns the last client's reply.
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
        // As many as possible at once, and half a second's more. Two lines were sent before.
        let count = bench.max + bench.max / 2
        try bench.client.send((1...count).map { #"{"id":\#($0),"method":"ping"}"# }.joined(separator: "\n"))
        for number in 1...count {
            #expect(try bench.client.line() == #"{"jsonrpc":"2.0","id":\#(number),"result":{}}"#)
        }
        let time = start.duration(to: .now)
        // The bucket holds no more tokens than this, even with the ones added during the last request.
        #expect(time > .milliseconds(400), "\(count) answers took \(time)")
        // Another connection of the same user gets its turn while one asks for 150 seconds, however fast the machine is.
        try bench.client.send(String(repeating: "ping\n", count: 150 * bench.max))
        try second.send(#"{"id":7,"method":"ping"}"#)
        #expect(try second.line(within: 140)?.contains(#""id":7"#) == true)
    }

    private static func checkSilentAge(_ bench: Bench) throws {
        let silent = try bench.daemon.connect()
        // Bytes without a line feed are not a line.
        let slow = try bench.daemon.connect()
        // It may have been closed already.
        try? slow.send(Array("pin".utf8))
        for client in [silent, slow] {
            let line = try #require(try client.line())
            #expect(line.contains(#""limit":"silentAgeMax","max":1"#) && line.contains("tooLarge"))
            #expect(try client.line() == nil)
        }
        #expect(try bench.client.reply(to: "ping").contains("result"), "it has sent a line long ago")
    }

    // MARK: Lines

    private static var lines: [Limit: LimitTrial] {
        [
            .lineLengthMax: LimitTrial(
                max: 9_000, settings: "contentLengthMax: 0",
                sort: asking { padded(#"{"id":1,"method":"ping"}"#, to: $0) }),
            .lineOutLengthMax: LimitTrial(max: 9_000, settings: "contentLengthMax: 0", sort: .other(checkLinesOut)),
            .depthMax: LimitTrial(
                max: 16, settings: "levelsMax: 4",
                sort: asking { depth in
                    // Six brackets surround the content.
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

    /// Most bytes that a line leaves free: for the announcement of another line, and for long subscription numbers.
    private static let roomForMore = 64

    /// Checks that a first state that fits is one line, and one that is a byte too long is two lines within the limit.
    private static func checkLinesOut(_ bench: Bench) throws {
        // A client receives the maximum length of its lines when it connects.
        let client = try bench.daemon.connect()
        for (list, length) in [("a", bench.max - roomForMore), ("b", bench.max + 1)] {
            _ = try client.reply(
                to: #"{"id":1,"method":"createList","params":{"list":"\#(list)","durability":"volatile"}}"#)
            func append(_ id: String) throws {
                _ = try client.reply(
                    to: #"{"id":1,"method":"transact","params":{"list":"\#(list)","operations":["#
                        + #"{"op":"appendSections","sections":[{"id":"\#(id)"}]}]}}"#)
            }
            /// Returns the lengths of its lines, with their newlines.
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
            // Numbers of subscriptions and revisions then have two digits.
            for number in 10..<44 { try append("\(number)" + String(repeating: "x", count: 240)) }
            _ = try (0..<9).map { _ in try firstState() }
            let soFar = try firstState()
            #expect(soFar.count == 1)
            // An id takes these additional bytes: `,{"id":""}`.
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

    private static var lists: [Limit: LimitTrial] {
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
            // One list exists already.
            .listsMax: LimitTrial(
                max: 2,
                sort: asking {
                    #"{"id":1,"method":"createList","params":{"list":"list \#($0)","durability":"volatile"}}"#
                }),
            .listsPerUserMax: LimitTrial(
                max: 2,
                sort: asking(as: .alice) { count in
                    (1...count).map {
                        #"{"id":1,"method":"createList","params":{"list":"mine \#($0)","durability":"volatile","ifAbsent":true}}"#
                    }
                }),
            .contentPerUserMax: LimitTrial(
                max: 1_024,
                sort: asking(as: .alice) { length in
                    // The ids of a section and of an item are one byte each, and the quotation marks two.
                    let content = String(repeating: "c", count: length - 2 * 65 - 2)
                    return [
                        #"{"id":1,"method":"createList","params":{"list":"mine","durability":"volatile","ifAbsent":true}}"#,
                        #"{"id":1,"method":"apply","params":{"list":"mine","section":"s","snapshot":[{"id":"a","content":"\#(content)"}]}}"#,
                    ]
                }),
            .viewTermsMax: LimitTrial(
                max: 3,
                sort: asking { words in
                    let search = (1...words).map { "word\($0)" }.joined(separator: " ")
                    return #"{"id":1,"method":"snapshot","params":{"list":"list","view":{"search":"\#(search)"}}}"#
                }),
            .viewSegmentsMax: LimitTrial(
                max: 3,
                sort: asking { count in
                    let path = String(repeating: "/a", count: count - 1)
                    return
                        #"{"id":1,"method":"snapshot","params":{"list":"list","view":{"sort":["id","\#(path)"]}}}"#
                }),
            .viewIdsMax: LimitTrial(
                max: 3,
                sort: asking { count in
                    let items = (1..<count).map { #""\#($0)""# }.joined(separator: ",")
                    return
                        #"{"id":1,"method":"snapshot","params":{"list":"list","view":{"sections":["s"],"expansion":"own","expanded":[\#(items)]}}}"#
                }),
            .schemaLengthMax: LimitTrial(
                max: 50,
                sort: asking { length in
                    let padding = String(repeating: "t", count: length - #"{"":{"title":""}}"#.utf8.count)
                    return setSchemas(#"{"": {"title":"\#(padding)"} }"#)
                }),
            .schemaDepthMax: LimitTrial(
                max: 3,
                sort: asking { depth in
                    let braces = String(repeating: "}", count: depth)
                    return setSchemas(#"{"":"# + (1..<depth).map { _ in #"{"items":"# }.joined() + "{" + braces + "}")
                }),
            .schemaKeywordsMax: LimitTrial(
                max: 4,
                sort: asking { count in
                    // Two kinds share the schema.
                    let names = ["title", "description", "default", "minItems"].prefix(count - 1)
                    let keywords = names.map { $0 == "minItems" ? #""\#($0)":1"# : #""\#($0)":"""# }
                    return setSchemas(#"{"a":{"type":"string"},"b":{\#(keywords.joined(separator: ","))}}"#)
                }),
            .windowRowsMax: LimitTrial(
                max: 3,
                sort: asking {
                    #"{"id":1,"method":"snapshot","params":{"list":"list","view":{"window":{"offset":0,"limit":\#($0)}}}}"#
                }),
        ]
    }

    // MARK: Handlers

    private static let handle =
        #"{"id":1,"method":"handle","params":{"list":"list","requests":["perform"]}}"#

    /// Makes unanswered requests, and returns the last request's error, or the answer to the `ping` after it.
    private static func performing(_ members: String = "", by client: RawClient, count: Int) throws -> String {
        for _ in 0..<count {
            try client.send(#"{"id":1,"method":"perform","params":{"list":"list","action":"a"\#(members)}}"#)
        }
        // An accepted request stays unanswered, which counts as a result.
        try client.send(#"{"id":9,"method":"ping"}"#)
        let lines = try client.lines(until: #""id":9,"#)
        return lines.last { $0.contains(#""error""#) } ?? #""result""#
    }

    private static var handlers: [Limit: LimitTrial] {
        [
            .handlersPerConnectionMax: LimitTrial(
                max: 3,
                sort: .refuses { bench in
                    var made = 0
                    return { count in
                        var reply = ""
                        while made < count {
                            made += 1
                            reply = try bench.client.reply(
                                to:
                                    #"{"id":1,"method":"handle","params":{"list":"list","requests":["perform"],"actions":["\#(made)"]}}"#
                            )
                        }
                        return reply
                    }
                }),
            .requestsPerHandlerMax: LimitTrial(
                max: 3,
                sort: .refuses { bench in
                    _ = try bench.client.reply(to: handle)
                    var askers: [RawClient] = []
                    return { count in
                        var reply = ""
                        while askers.count < count {
                            askers.append(try bench.daemon.connect())
                            reply = try performing(by: askers[askers.count - 1], count: 1)
                        }
                        return reply
                    }
                }),
            .requestsPerAskerMax: LimitTrial(
                max: 3,
                sort: .refuses { bench in
                    _ = try bench.client.reply(to: handle)
                    let asker = try bench.daemon.connect()
                    var made = 0
                    return { count in
                        defer { made = count }
                        return try performing(by: asker, count: count - made)
                    }
                }),
            .argumentsLengthMax: LimitTrial(
                max: 10,
                sort: .refuses { bench in
                    _ = try bench.client.reply(to: handle)
                    let asker = try bench.daemon.connect()
                    return { length in
                        let text = String(repeating: "x", count: length - 2)
                        return try performing(#","arguments": "\#(text)" "#, by: asker, count: 1)
                    }
                }),
            .resultLengthMax: LimitTrial(
                max: 10,
                sort: .refuses { bench in
                    _ = try bench.client.reply(to: handle)
                    let asker = try bench.daemon.connect()
                    _ = try performing(by: asker, count: 2)
                    let requests = try (0..<2).map { _ in
                        let line = try bench.client.line() ?? ""
                        return try #require(line.firstMatch(of: #/"request":([0-9]+)/#)?.1)
                    }
                    return { length in
                        let text = String(repeating: "x", count: length - 2)
                        let request = requests[length - bench.max]
                        // The request waits for as long as the asker exists.
                        defer { withExtendedLifetime(asker) {} }
                        return try bench.client.reply(
                            to: #"{"id":1,"method":"answer","params":{"request":\#(request),"result": "\#(text)" }}"#)
                    }
                }),
            .actionsPerHandlerMax: LimitTrial(
                max: 3,
                sort: asking { count in
                    let names = (1...count).map { #""\#(count) \#($0)""# }.joined(separator: ",")
                    return
                        #"{"id":1,"method":"handle","params":{"list":"list","requests":["perform"],"actions":[\#(names)]}}"#
                }),
        ]
    }

    // MARK: The past

    private static var past: [Limit: LimitTrial] {
        [
            // In a list of two items, to collapse or expand one counts with 32 bytes.
            .historyLengthMax: LimitTrial(
                max: 3 * 32,
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
            // The same, with 64 additional bytes for each step; the newest step does not count. With a second list, the list
            // that was changed earlier loses all history but its newest step.
            .pastLengthMax: LimitTrial(
                max: 8 * (32 + 64),
                sort: .other { bench in
                    func oldest(_ list: String) throws -> String {
                        let reply = try bench.client.reply(to: "history \(list)")
                        let match = try #require(reply.firstMatch(of: /"revision":([0-9]+),"oldest":([0-9]+),/))
                        return "\(match.1) \(match.2)"
                    }
                    _ = try bench.client.reply(to: transact(append(#"{"id":"a","children":[{"id":"b"}]}"#)))
                    for revision in 3...14 {
                        let verb = revision % 2 == 1 ? "expandItems" : "collapseItems"
                        _ = try bench.client.reply(to: transact(#"{"op":"\#(verb)","items":["a"]}"#))
                        if revision >= 11 { #expect(try oldest("list") == "\(revision) \(revision - 9)") }
                    }
                    _ = try bench.client.reply(
                        to: #"{"id":1,"method":"createList","params":{"list":"other","durability":"volatile"}}"#)
                    _ = try bench.client.reply(
                        to: #"{"id":1,"method":"transact","params":{"list":"other","operations":["#
                            + #"{"op":"appendSections","sections":[{"id":"s"}]}]}}"#)
                    #expect(try oldest("other") == "1 0")
                    #expect(try oldest("list") != "14 5")
                    #expect(try bench.client.reply(to: "undo list").contains(#""changed":true"#))
                }),
            // Each empty deleted list counts as 4 KiB.
            .deletedLengthMax: LimitTrial(
                max: 3 * 4_096,
                sort: .other { bench in
                    func deleted() throws -> Int {
                        try bench.client.reply(to: #"{"id":1,"method":"lists","params":{"deleted":true}}"#)
                            .matches(of: /"time":/).count
                    }
                    for number in 1...4 {
                        let list = #""list":"list \#(number)""#
                        _ = try bench.client.reply(
                            to: #"{"id":1,"method":"createList","params":{\#(list),"durability":"volatile"}}"#)
                        _ = try bench.client.reply(to: #"{"id":1,"method":"deleteList","params":{\#(list)}}"#)
                        #expect(try deleted() == min(number, 3))
                    }
                    let oldest = #"{"id":1,"method":"undeleteList","params":{"list":"list 1"}}"#
                    #expect(try bench.client.reply(to: oldest).contains("it made room"))
                }),
            .historyAgeMax: LimitTrial(
                max: 1,
                sort: .other { bench in
                    var revision = 1
                    func isNewestOnly() throws -> Bool {
                        let history = try bench.client.reply(to: "history list")
                        return history.contains(#""revision":\#(revision),"oldest":\#(revision),"#)
                    }
                    try withinSecond {
                        revision += 1
                        _ = try bench.client.reply(to: transact(append(#"{"id":"\#(revision)"}"#)))
                        return try isNewestOnly()
                    }
                    usleep(1_100_000)
                    #expect(try isNewestOnly())
                }),
            .requestKeysMax: LimitTrial(
                max: 3,
                sort: .other { bench in
                    for key in 1...bench.max { _ = try bench.client.reply(to: keyed(key)) }
                    #expect(try bench.client.reply(to: keyed(1, item: "other")).contains("requestKeyReused"))
                    _ = try bench.client.reply(to: keyed(bench.max + 1))
                    #expect(try bench.client.reply(to: keyed(1, item: "other")).contains(#""changed":true"#))
                }),
            .requestKeysTotalMax: LimitTrial(
                max: 3,
                sort: .other { bench in
                    for key in 1...bench.max { _ = try bench.client.reply(to: keyed(key)) }
                    #expect(try bench.client.reply(to: keyed(1, item: "other")).contains("requestKeyReused"))
                    _ = try bench.client.reply(
                        to: #"{"id":1,"method":"createList","params":{"list":"two","durability":"volatile"}}"#)
                    let another =
                        #"{"id":1,"method":"transact","params":{"list":"two","requestKey":"k","operations":[]}}"#
                    #expect(try bench.client.reply(to: another).contains("result"))
                    #expect(try bench.client.reply(to: keyed(2, item: "other")).contains("requestKeyReused"))
                    #expect(try bench.client.reply(to: keyed(1, item: "other")).contains(#""changed":true"#))
                }),
            .requestKeyAgeMax: LimitTrial(
                max: 1,
                sort: .other { bench in
                    var key = 0
                    func isNew() throws -> Bool {
                        let reply = try bench.client.reply(to: keyed(key, item: "other \(key)"))
                        return reply.contains(#""changed":true"#)
                    }
                    try withinSecond {
                        key += 1
                        _ = try bench.client.reply(to: keyed(key))
                        return try isNew()
                    }
                    usleep(1_100_000)
                    #expect(try isNew())
                }),
            .engineWaitMax: LimitTrial(
                max: 1,
                sort: .other { bench in
                    let engine = try ScriptedEngine(bench.client)
                    try engine.share("plans")
                    try engine.tell("plans", #""live":false"#)
                    let reply = try engine.answer(
                        to: #"{"id":9,"method":"transact","params":{"list":"plans","operations":[]}}"#, id: 9)
                    #expect(reply.contains(#""name":"unreachable""#), "\(reply)")
                }),
        ]
    }

    /// Returns whether something just created is already too old; repeats if the answer took more than a second.
    private static func withinSecond(_ isTooOld: () throws -> Bool) throws {
        let answer = try eventually("an answer within a second") {
            let start = ContinuousClock.now
            let answer = try isTooOld()
            return start.duration(to: .now) < .seconds(1) ? answer : nil
        }
        #expect(!answer)
    }

    private static func keyed(_ key: Int, item: String? = nil) -> String {
        transact(append(#"{"id":"\#(item ?? "item \(key)")"}"#), members: #","requestKey":"key \#(key)""#)
    }
}
