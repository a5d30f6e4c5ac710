import Diffable
import DiffableJSON
import TestSupport
import Testing

@testable import DiffableInput
@testable import diffablectl

/// The output of `show -o jsonl`, which `apply` reads.
struct ListLinesTests {
    private func text(of snapshot: Snapshot) -> String {
        var lines = ""
        ListLinesWriter.write(snapshot) { lines += "\($0)\n" }
        return lines
    }

    @Test func `each section has a line, and behind it its items have theirs`() throws {
        let list = try Snapshot([
            Section(
                id: "today", content: Content(json: #"{"header":"Today"}"#),
                items: [
                    Item(
                        id: "milk", kind: "task", content: Content(json: #"{"id":7,"section":"x"}"#), isExpanded: true,
                        children: [Item(id: "oat", content: Content(json: #""text""#))])
                ]), Section(id: "later"),
        ])
        #expect(
            text(of: list) == """
                {"section":"today","content":{"header":"Today"}}
                {"section":"today","id":"milk","kind":"task","expanded":true,"content":{"id":7,"section":"x"}}
                {"section":"today","parent":"milk","id":"oat","content":"text"}
                {"section":"later"}

                """)
        #expect(try read(text(of: list), as: .ndjson) == list)
    }

    @Test func `whatever a list is, it is the same again`() throws {
        var random = SplitMix64()
        let seed = random.seed
        for _ in 0..<300 {
            let list = try RandomList(&random).snapshot
            let again = try read(text(of: list), as: .ndjson)
            #expect(again == list, "seed \(seed)")
            #expect(again.visualDescription == list.visualDescription, "seed \(seed)")
        }
    }

    @Test func `rows of other programs are not taken for it`() throws {
        let rows = #"{"id":"a","section":"s","content":1}"# + "\n" + #"{"section":"s"}"#
        #expect(complaint(rows, as: .ndjson).hasPrefix("line 2: the row has no .id to identify it"))
        let first = #"{"section":"s"}"# + "\n" + #"{"id":"a","section":"s","content":1}"#
        #expect(complaint(first, as: .ndjson, .init(id: ".section")).hasPrefix("line 2: line 1 has the id \"s\" too"))
    }

    @Test(arguments: [
        (
            #"{"section":"s"}"#,
            #"line 2: duplicate section "s": an id can appear only once in a list; merge or rename one"#
        ),
        (
            #"{"section":"s","id":"a","text":1}"#,
            "line 2: an item as diffablectl show -o jsonl writes it cannot have \"text\""
        ),
        (#"{"section":"s","parent":"a"}"#, "line 2: the item has no \"id\"; add one"),
        (#"{"id":"a"}"#, "line 2: the item has no \"section\"; add the id of its section"),
        (#"{"section":"s","id":"a","expanded":1}"#, "line 2: expanded must be true or false, not 1"),
        (#"{"section":"s","id":"a","kind":""}"#, "line 2: the kind is empty"),
        (#"{"section":"s","id":"a","parent":"b"}"#, #"line 2: the row's parent "b" is not a row of this input"#),
    ])
    func `what is wrong with a line is said`(line: String, expected: String) {
        #expect(complaint(#"{"section":"s"}"# + "\n" + line, as: .ndjson).hasPrefix(expected))
    }
}

/// A list of a few sections with items on several levels, and contents of all types.
private struct RandomList {
    let snapshot: Snapshot

    private static let contents = [
        nil, "1", "true", #""a\tb\n""#, "[]", "[1,{}]", "{}", #"{"id":"x","section":"y","parent":null}"#,
        #"{"text":"\u202e","a":{"b":[1.50]}}"#,
    ]

    init(_ random: inout SplitMix64) throws {
        var count = 0
        var sections: [Section] = []
        for index in 0..<Int.random(in: 0...3, using: &random) {
            sections.append(
                Section(
                    id: try SectionID("s\(index)"), content: try Self.content(&random),
                    items: try Self.items(&random, &count, level: 0)))
        }
        let content = try Self.content(&random)
        snapshot = try Snapshot(WholeList(content: content.map { .some($0) }, sections: sections))
    }

    private static func content(_ random: inout SplitMix64) throws -> Content? {
        try (contents.randomElement(using: &random) ?? nil).map { try Content(json: $0) } ?? nil
    }

    private static func items(_ random: inout SplitMix64, _ count: inout Int, level: Int) throws -> [Item] {
        var items: [Item] = []
        for _ in 0..<Int.random(in: 0...(level < 3 ? 3 : 0), using: &random) {
            count += 1
            let id = try ItemID("\(["a", "-b", "ü ", "{\"c"].randomElement(using: &random) ?? "")\(count)")
            let children = try self.items(&random, &count, level: level + 1)
            items.append(
                Item(
                    id: id, kind: Bool.random(using: &random) ? "k" : nil, content: try content(&random),
                    isExpanded: !children.isEmpty && Bool.random(using: &random), children: children))
        }
        return items
    }
}
