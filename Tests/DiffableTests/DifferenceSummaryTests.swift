import Diffable
import Testing

@Suite struct `What a difference amounts to` {
    @Test func `nothing is nothing`() {
        #expect(summary(from: Snapshot(), to: Snapshot()) == DifferenceSummary([], from: Snapshot(), to: Snapshot()))
        #expect(summary(from: Snapshot(), to: Snapshot()).insertedItems == 0)
    }

    @Test func `children count with the parent and the items with the section that bring them or take them along`()
        throws
    {
        let old = try Snapshot(outline: "s: a(b c); t: d(e)")
        let new = try Snapshot(outline: "s: x(y) z; u: v(w)")
        let there = summary(from: old, to: new)
        #expect(there.insertedItems == 5 && there.deletedItems == 5)
        #expect(there.insertedSections == 1 && there.deletedSections == 1)
        let back = summary(from: new, to: old)
        #expect(back.insertedItems == 5 && back.deletedItems == 5)
    }

    @Test func `a survivor of a deleted parent has moved and is not deleted`() throws {
        let summary = summary(from: try Snapshot(outline: "s: a(b c)"), to: try Snapshot(outline: "s: c"))
        #expect(summary.movedItems == 1 && summary.deletedItems == 2 && summary.insertedItems == 0)
    }

    @Test func `every sort of change is counted`() throws {
        let old = try Snapshot(outline: "s: a b c d+ e f; t:; u:")
        let new = try old.applying([
            .reconfigureList("1"), .moveSection("u", to: .front),
            .reloadSections([SectionReload(id: "s"), SectionReload(id: "t")]),
            .moveItem("a", to: .after("f")), .reconfigureItems([ItemReconfiguration(id: "b", content: "1")]),
            .reloadItems([ItemReload(id: "c", kind: "k"), ItemReload(id: "e")]), .expandItems(["a", "b", "c"]),
            .collapseItems(["d"]),
        ])
        let summary = summary(from: old, to: new)
        #expect(summary.movedSections == 1 && summary.reloadedSections == 2 && summary.movedItems == 1)
        #expect(summary.reconfiguredList == 1)
        #expect(summary.reconfiguredItems == 1 && summary.reloadedItems == 2)
        #expect(summary.expandedItems == 3 && summary.collapsedItems == 1)
        #expect(summary.insertedItems == 0 && summary.deletedItems == 0)
    }

    private func summary(from old: Snapshot, to new: Snapshot) -> DifferenceSummary {
        DifferenceSummary(new.difference(from: old), from: old, to: new)
    }
}
