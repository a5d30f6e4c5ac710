import Testing

@testable import Diffable

/// A publisher need not know which items viewers have expanded.
@Suite struct `Expansion that is not said` {
    @Test func `a new item is collapsed`() throws {
        #expect(try Snapshot([Section(id: "s", items: [Item(id: "a")])]).isExpanded("a") == false)
    }

    @Test func `a whole snapshot takes it from the known one, wherever the item stood`() throws {
        let known = try Snapshot(outline: "s: a+(b+(c)) d")
        let new = try Snapshot([Section(id: "t", items: outlined("d(b) a x"))], expansionFrom: known)
        #expect(new.outline == "t: d(b+) a+ x")
    }

    @Test func `expansion that is said wins`() throws {
        let known = try Snapshot(outline: "s: a+ b")
        let items = [Item(id: "a", isExpanded: false), Item(id: "b", isExpanded: true)]
        #expect(try Snapshot([Section(id: "s", items: items)], expansionFrom: known).outline == "s: a b+")
        #expect(try known.replacingItems(inSection: "s", with: items).outline == "s: a b+")
    }

    @Test func `operations that build a state from nothing take it from the known one`() throws {
        let known = try Snapshot(outline: "s: a+(b+(c)) d")
        let operations: [ListOperation] = [
            .appendSections([Section(id: "s"), Section(id: "t", items: outlined("b"))]),
            .appendItems(outlined("a x"), to: .section("s")), .insertItems(outlined("d"), at: .before("a")),
            .replaceChildren(of: "x", with: outlined("c")),
        ]
        let new = try Snapshot().applying(operations, expansionFrom: known, limits: SnapshotLimits())
        #expect(new.outline == "s: d a+ x(c); t: b+")
        #expect(try Snapshot().applying(operations).outline == "s: d a x(c); t: b")
    }

    @Test func `what did not change is shared with the known snapshot`() throws {
        func sections(_ content: Content) -> [Section] {
            [Section(id: "s", content: "1", items: [Item(id: "a", content: "1"), Item(id: "b", content: content)])]
        }
        let known = try Snapshot(sections("1"))
        let new = try Snapshot(sections("2"), expansionFrom: known)
        #expect(try record("a", in: new).isShared(with: record("a", in: known)))
        #expect(try !record("b", in: new).isShared(with: record("b", in: known)))
        let section = try #require(new.handle("s" as SectionID))
        let knownSection = try #require(known.handle("s" as SectionID))
        #expect(new.forest.record(section).isShared(with: known.forest.record(knownSection)))
    }

    private func record(_ id: ItemID, in snapshot: Snapshot) throws -> Record {
        snapshot.forest.record(try #require(snapshot.handle(id)))
    }
}
