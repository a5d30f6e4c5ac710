import Diffable
import TestSupport
import Testing

@testable import DiffableJSON

/// Finds the views that a change may affect, without checking each of them.
@Suite struct `An index over conditions` {
    private static func criterion(_ view: String) throws -> Criterion {
        try #require(try Array(view.utf8).withUnsafeBytes { try View(json: $0) }.criterion)
    }

    private static func item(_ content: String, kind: Kind? = nil) -> Item {
        Item(id: "milk", kind: kind, content: Content(Array(content.utf8)))
    }

    private static func found(_ views: [String], for item: Item) throws -> [Int] {
        let index = CriterionIndex()
        for (number, view) in views.enumerated() { index.insert(number, try criterion(view)) }
        var numbers: Set<Int> = []
        index.collect(matching: item, into: &numbers)
        return numbers.sorted()
    }

    @Test(arguments: [
        (#"{"n":5,"s":"house"}"#, [0, 2, 3, 5, 7, 8, 9, 11]),
        (#"{"n":5.0}"#, [0, 2, 3, 5, 11]),
        (#"{"n":-1}"#, [3, 5]),
        (#"{"n":"5"}"#, [1, 5]),
        (#"{"n":null}"#, [4, 5]),
        (#"{"n":[5],"s":"Hof"}"#, [5]),
        (#"{"s":""}"#, []),
        (#"{"s":"ho"}"#, [7, 10]),
        (#"{"s":["house"]}"#, [9]),
    ]) func `finds what an item may meet, and little else`(content: String, expected: [Int]) throws {
        let views = [
            #"{"path":"/n","equals":5}"#, #"{"path":"/n","equals":"5"}"#, #"{"path":"/n","atLeast":5,"lessThan":6}"#,
            #"{"path":"/n","atMost":5}"#, #"{"path":"/n","equals":null}"#, #"{"path":"/n","exists":true}"#,
            #"{"and":[{"path":"/n","greaterThan":5},{"path":"/n","lessThan":"x"}]}"#, #"{"path":"/s","prefix":"ho"}"#,
            #"{"and":[{"path":"/s","prefix":"ho"},{"path":"/s","equals":"house"}]}"#,
            #"{"path":"/s","contains":"house"}"#, #"{"path":"/s","equals":"ho"}"#,
            #"{"or":[{"path":"/s","equals":"x"},{"path":"/n","equals":5}]}"#,
        ]
        #expect(try Self.found(views.map { #"{"where":\#($0)}"# }, for: Self.item(content)) == expected)
    }

    @Test func `holds searches against a text that is folded once`() throws {
        let views = [#"{"search":"ECLAIR"}"#, #"{"search":"milk eclair"}"#, #"{"search":"airmi"}"#, #"{"search":""}"#]
        #expect(try Self.found(views, for: Self.item(#"{"a":"Éclair","b":["Milk"]}"#)) == [0, 1, 3])
        #expect(try Self.found(views, for: Self.item(#"{"a":1}"#)) == [3])
    }

    @Test func `finds by id and kind`() throws {
        let views = [#"{"where":{"path":"id","prefix":"mi"}}"#, #"{"where":{"path":"kind","equals":"todo"}}"#]
        #expect(try Self.found(views, for: Self.item("1", kind: "todo")) == [0, 1])
        #expect(try Self.found(views, for: Self.item("1")) == [0])
    }

    /// Removed conditions are not found any more, and the remaining ones still are.
    @Test func `finds every condition that is met, of many that come and go`() throws {
        var changes = NaiveChanges(seed: SplitMix64().seed)
        let index = CriterionIndex()
        var there: [Int: Criterion] = [:]
        var hits = 0
        for step in 0..<1_500 {
            if changes.chance(55) || there.isEmpty {
                guard let criterion = try Array(changes.view().utf8).withUnsafeBytes({ try View(json: $0) }).criterion
                else { continue }
                index.insert(step, criterion)
                there[step] = criterion
            } else {
                let number = changes.one(of: there.keys.sorted())
                if let criterion = there.removeValue(forKey: number) { index.remove(number, criterion) }
            }
            _ = changes.next()
            for element in changes.list.items.prefix(3) {
                let item = Item(
                    id: try ItemID(element.id), kind: try element.kind.map { try Kind($0) },
                    content: element.content.map { Content(Array($0.text.utf8)) })
                var found: Set<Int> = []
                index.collect(matching: item, into: &found)
                let met = there.filter { $0.value.isMet(by: item) }.keys
                hits += met.count
                #expect(found.isSuperset(of: met), "seed \(changes.generator.seed), \(element.json().text)")
                #expect(found.isSubset(of: there.keys))
            }
        }
        #expect(hits > 100)
    }

    @Test func `finds spans by what they hold, as looking at each of them does`() {
        var random = SplitMix64()
        let tree = SpanTree()
        var spans: [(span: KeySpan, number: Int)] = []
        func key() -> [UInt8] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in UInt8.random(in: 0...3, using: &random) }
        }
        for number in 0..<1_000 {
            if spans.count > 200 || !spans.isEmpty && Bool.random(using: &random) {
                let (span, number) = spans.remove(at: Int.random(in: spans.indices, using: &random))
                tree.remove(span, number)
            }
            // Spans that end before they begin are empty.
            let span = KeySpan(first: key(), last: key())
            tree.insert(span, number)
            spans.append((span, number))
            let wanted = key()
            var found: [Int] = []
            tree.forEach(holding: wanted) { found.append($0) }
            let right = spans.filter {
                !wanted.lexicographicallyPrecedes($0.span.first) && !$0.span.last.lexicographicallyPrecedes(wanted)
            }
            #expect(found.sorted() == right.map(\.number).sorted(), "seed \(random.seed)")
        }
        #expect(tree.count == spans.count)
    }
}
