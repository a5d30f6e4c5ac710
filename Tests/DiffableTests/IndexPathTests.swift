import TestSupport
import Testing

@testable import Diffable

@Suite struct `Index paths` {
    @Test func `lead to items at all levels`() throws {
        let list = try Snapshot(outline: "s: a(b c(d)) e; t: f")
        #expect(list.indexPath(ofItem: "a") == [0, 0])
        #expect(list.indexPath(ofItem: "d") == [0, 0, 1, 0])
        #expect(list.indexPath(ofItem: "f") == [1, 0])
        #expect(list.indexPath(ofItem: "x") == nil)
    }

    @Test(arguments: [10, 1_000, 20_000]) func `lead back to where they came from`(count: Int) throws {
        let children = (0..<70).map { Item(id: ItemID(stringLiteral: "child \($0)")) }
        let items = (0..<count).map {
            Item(id: ItemID(stringLiteral: "\($0)"), children: $0 == count / 2 ? children : [])
        }
        let list = try Snapshot([Section(id: "empty"), Section(id: "full", items: items)])
        for id in list.itemIdentifiers {
            let path = try #require(list.indexPath(ofItem: id))
            #expect(list.itemIdentifier(at: path) == id)
        }
        #expect(list.sectionIdentifier(at: 1) == "full")
        for path in [[], [1], [0, 0], [1, -1], [1, count], [1, 0, 0], [1, count / 2, 70], [2, 0]] {
            #expect(list.itemIdentifier(at: path) == nil, "\(path)")
        }
        #expect(list.sectionIdentifier(at: 2) == nil && list.sectionIdentifier(at: -1) == nil)
    }

    /// The same for a whole outline, in which sections and items with children are moved, deleted and inserted.
    @Test(arguments: 1...4) func `rebuild an outline`(_: Int) throws {
        var random = SplitMix64()
        for _ in 0..<300 {
            let old = Model.random(Int.random(in: 0...25, using: &random), of: 30, &random)
            let new = Model.random(Int.random(in: 0...25, using: &random), of: 30, &random)
            let (before, after) = (try old.snapshot, try new.snapshot)
            let changes = IndexPathChanges(after.difference(from: before), from: before, to: after)
            var rows = Rows(before)
            rows.carryOut(changes, asking: Rows(after))
            #expect(rows == Rows(after), "seed \(random.seed)")
        }
    }

    @Test func `of a difference are old for what goes and new for what comes`() throws {
        let old = try Snapshot(outline: "s: a b c; t: d")
        let new = try old.applying([
            .moveItem("d", to: .front(of: .section("s"))), .deleteItems(["a", "b"]),
            .appendItems([Item(id: "e"), Item(id: "f")], to: .section("t")), .expandItems(["c"]), .reconfigureList("1"),
        ])
        let changes = IndexPathChanges(new.difference(from: old), from: old, to: new)
        #expect(changes.deletedItems == [[0, 1], [0, 0]])
        #expect(changes.insertedItems == [[1, 0], [1, 1]])
        #expect(changes.movedItems == [.init(from: [1, 0], to: [0, 0])])
        #expect(changes.expandedItems == [[0, 1]])
        #expect(changes.isListReconfigured)
    }

    /// Applies changes as a view does: first removes deleted and moved rows from the back, then inserts moved and new ones from
    /// the front.
    @Test(arguments: 1...4) func `rebuild the rows of a section`(_: Int) throws {
        var random = SplitMix64()
        for _ in 0..<200 {
            let ids = (0..<20).map { "\($0)" }
            let old = Array(ids.shuffled(using: &random).prefix(Int.random(in: 0...20, using: &random)))
            let new = Array(ids.shuffled(using: &random).prefix(Int.random(in: 0...20, using: &random)))
            let before = try Snapshot(outline: "s: \(old.joined(separator: " "))")
            let after = try Snapshot(outline: "s: \(new.joined(separator: " "))")
            let changes = IndexPathChanges(after.difference(from: before), from: before, to: after)
            var rows = old
            for index in (changes.deletedItems + changes.movedItems.map(\.from)).map({ $0[1] }).sorted(by: >) {
                rows.remove(at: index)
            }
            for index in (changes.insertedItems + changes.movedItems.map(\.to)).map({ $0[1] }).sorted() {
                rows.insert(new[index], at: index)
            }
            #expect(rows == new, "seed \(random.seed)")
        }
    }
}
