import Diffable
import TestSupport
import Testing

@testable import DiffableInput
@testable import diffablectl

/// Merging two changes of the same state.
struct ThreeWayTests {
    @Test(arguments: [
        (#"{"a":1,"b":2}"#, #"{"a":3,"b":2}"#, #"{"a":1,"b":4}"#, #"{"a":3,"b":4}"#),
        (#"{"a":1,"b":2}"#, #"{"b":2}"#, #"{"a":1,"b":2,"c":3}"#, #"{"b":2,"c":3}"#),
        (#"{"a":{"x":1,"y":1}}"#, #"{"a":{"x":2,"y":1}}"#, #"{"a":{"x":1,"y":3}}"#, #"{"a":{"x":2,"y":3}}"#),
        (#"{"a":1}"#, #"{"a":2}"#, #"{"a":3}"#, nil), (#"{"a":1}"#, #"{"a":2}"#, #"{"a":2}"#, #"{"a":2}"#),
        (#"{"a":1}"#, #"{}"#, #"{"a":3}"#, nil), (#"{}"#, #"{"a":1}"#, #"{"a":2}"#, nil), ("1", "2", "3", nil),
        ("[1]", "[1,2]", "[1]", "[1,2]"), ("[1]", "[1]", "[2]", "[2]"), ("[1]", "[1,2]", "[0,1]", nil),
    ])
    func `two contents are merged member by member`(base: String, mine: String, theirs: String, merged: String?) {
        let contents = [base, mine, theirs].map { Content.parsed($0) }
        let result = ThreeWayMerge.merged(base: contents[0], mine: contents[1], theirs: contents[2])
        #expect(result == merged.map { .content(Content.parsed($0)) } ?? .conflict)
    }

    private func list(_ items: [Item]) throws -> Snapshot { try Snapshot([Section(id: "s", items: items)]) }

    @Test func `what both have touched is a conflict, and all else is kept from both`() throws {
        let base = try list([Item(id: "a"), Item(id: "b"), Item(id: "c", children: [Item(id: "d")])])
        func state(_ operations: ListOperation...) throws -> Snapshot { try base.applying(operations) }
        let mine = try state(.deleteItems(["a"]), .insertItems([Item(id: "x")], at: .after("b")))
        let theirs = try state(.reconfigureItems([ItemReconfiguration(id: "c", content: Content.parsed("1"))]))
        let merged = try #require(ThreeWayMerge.merged(base: base, mine: mine, theirs: theirs))
        #expect(merged.itemIdentifiers == ["b", "x", "c", "d"])
        #expect(merged.item("c")?.content == Content.parsed("1"))
        for (one, other) in [
            (
                try state(.deleteItems(["c"])),
                try state(.reconfigureItems([ItemReconfiguration(id: "d", content: Content.parsed("1"))]))
            ),
            (try state(.deleteItems(["c"])), try state(.deleteItems(["d"]))),
            // The anchor no longer exists.
            (try state(.insertItems([Item(id: "x")], at: .after("a"))), try state(.deleteItems(["a"]))),
            (try state(.appendItems([Item(id: "x")])), try state(.appendItems([Item(id: "x")]))),
            (
                try state(.reconfigureList(Content.parsed("1"))),
                try state(.reconfigureList(Content.parsed("2")))
            ),
        ] {
            #expect(ThreeWayMerge.merged(base: base, mine: one, theirs: other) == nil)
        }
    }

    @Test func `random changes are merged to what has both, or not at all`() throws {
        var random = SplitMix64()
        var mergedCount = 0
        for _ in 0..<300 {
            let base = try list((0..<10).map { Item(id: ItemID(stringLiteral: "\($0)"), content: Content.parsed("0")) })
            /// Sets some contents, and returns the changed items.
            func changed(to value: String) throws -> (Snapshot, Set<ItemID>) {
                let ids = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    ItemID(stringLiteral: "\(Int.random(in: 0..<10, using: &random))")
                }
                let changes = ids.map { ItemReconfiguration(id: $0, content: .some(Content.parsed(value))) }
                return (try base.applying([.reconfigureItems(changes)]), Set(ids))
            }
            let (mine, myIDs) = try changed(to: "1")
            let (theirs, theirIDs) = try changed(to: "2")
            let merged = ThreeWayMerge.merged(base: base, mine: mine, theirs: theirs)
            #expect((merged == nil) == !myIDs.isDisjoint(with: theirIDs), "seed \(random.seed)")
            guard let merged else { continue }
            mergedCount += 1
            for id in merged.itemIdentifiers {
                let expected = myIDs.contains(id) ? "1" : theirIDs.contains(id) ? "2" : "0"
                #expect(merged.item(id)?.content?.description == expected, "seed \(random.seed)")
            }
        }
        #expect(mergedCount > 50)
    }

    @Test func `what an editor is given reads as what it was`() throws {
        let snapshot = try Snapshot([
            Section(
                id: "s", content: Content.parsed(#"{"header":"S"}"#),
                items: [
                    Item(
                        id: "a", kind: "k", content: Content.parsed(#"{"t":"x\"\n","n":[1,{"b":null}]}"#),
                        isExpanded: true,
                        children: [Item(id: "b"), Item(id: "c", content: Content.parsed("1"))]),
                    Item(id: "d"),
                ]),
            Section(id: "empty"),
        ])
        let text = EditableText.text(of: snapshot)
        #expect(try EditableText.snapshot(of: Array(text.utf8), from: snapshot) == snapshot)
        #expect(
            text.split(separator: "\n").filter { $0.contains("\"id\":\"c\"") } == [#"      {"id":"c","content":1}"#])
        for json in [#"{"a":{"b":[1,{"c":"d"},[]],"e":{}},"f":null}"#, "[]", "1", #""x""#] {
            let content = Content.parsed(json)
            #expect(try EditableText.content(of: Array(EditableText.text(of: content).utf8)) == content)
        }
        #expect(try EditableText.content(of: Array(EditableText.text(of: nil).utf8)) == nil)
    }
}
