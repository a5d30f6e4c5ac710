import Testing

@testable import Diffable

@Suite struct `Asking to draw again` {
    private let old: Snapshot

    init() throws {
        old = try Snapshot([
            Section(id: "s", content: "1", items: [Item(id: "a", kind: "k", content: "1"), Item(id: "b")]),
            Section(id: "t"),
        ])
    }

    private let redraw = ListOperation.reconfigureItems([ItemReconfiguration(id: "a")])
    private let remake = ListOperation.reloadItems([ItemReload(id: "a")])

    @Test func `ids alone reach the difference`() throws {
        try expect([redraw], "reconfigureItems a")
        try expect([remake], "reloadItems a")
        try expect([.reloadSections([SectionReload(id: "s")])], "reloadSections s")
        try expect(
            [.reconfigureItems([ItemReconfiguration(id: "a"), ItemReconfiguration(id: "b")])], "reconfigureItems a b")
    }

    @Test func `several requests become one`() throws {
        try expect([redraw, redraw], "reconfigureItems a")
        try expect([remake, remake], "reloadItems a")
        try expect([.reloadSections([SectionReload(id: "s"), SectionReload(id: "s")])], "reloadSections s")
    }

    @Test func `a reload covers a reconfiguration`() throws {
        try expect([redraw, remake], "reloadItems a")
        try expect([remake, redraw], "reloadItems a")
    }

    @Test func `new content or a new kind is reason enough to draw again, once`() throws {
        let content = ListOperation.reconfigureItems([ItemReconfiguration(id: "a", content: "2")])
        let kind = ListOperation.reloadItems([ItemReload(id: "a", kind: "l")])
        for operations in [[redraw, content], [content, redraw]] { try expect(operations, "reconfigureItems a=2") }
        for operations in [[redraw, kind], [kind, redraw], [kind, remake]] {
            try expect(operations, "reloadItems a:l=1")
        }
        try expect(
            [.reloadSections([SectionReload(id: "s"), SectionReload(id: "s", content: "2")])], "reloadSections s=2")
    }

    @Test func `a reload with new content under the same kind says both`() throws {
        let content = ListOperation.reconfigureItems([ItemReconfiguration(id: "a", content: "2")])
        for operations in [[remake, content], [content, remake]] { try expect(operations, "reloadItems a:k=2") }
        try expect([.reloadItems([ItemReload(id: "a", content: "2")])], "reloadItems a:k=2")
        try expect([.reloadItems([ItemReload(id: "a", kind: "k", content: "2")])], "reloadItems a:k=2")
        try expect([.reloadItems([ItemReload(id: "b", content: "2")])], "reloadItems b:none=2")
    }

    @Test func `what is replaced by the same is no change, and what is reloaded as the same is a request`() throws {
        try expect([.reconfigureItems([ItemReconfiguration(id: "a", content: "1")])])
        try expect([.patchItems([ItemPatch(id: "a") { $0 }])])
        try expect([.reloadSections([SectionReload(id: "s", content: "1")])])
        try expect([.reloadItems([ItemReload(id: "a", kind: "k", content: "1")])], "reloadItems a")
    }

    @Test func `content and kind that were taken away are said`() throws {
        try expect(
            [.reconfigureItems([ItemReconfiguration(id: "a", content: .some(nil))])], "reconfigureItems a=none")
        try expect(
            [.reloadItems([ItemReload(id: "a", kind: .some(nil), content: .some(nil))])], "reloadItems a:none=none")
        try expect([.reloadSections([SectionReload(id: "s", content: .some(nil))])], "reloadSections s=none")
    }

    @Test func `a change that is taken back is none`() throws {
        try expect([
            .reconfigureItems([ItemReconfiguration(id: "a", content: "2")]),
            .reconfigureItems([ItemReconfiguration(id: "a", content: "1")]),
        ])
        try expect([.expandItems(["a"]), .collapseItems(["a"])])
        try expect([.moveItem("a", to: .after("b")), .moveItem("b", to: .after("a"))])
        try expect([.appendItems(outlined("x")), .deleteItems(["x"])])
    }

    @Test func `requests do not count in equality`() throws {
        let new = try old.applying([redraw, remake, .reloadSections([SectionReload(id: "s")])])
        #expect(new == old)
        #expect(!new.difference(from: old).isEmpty)
    }

    @Test func `a request is told once`() throws {
        let new = try old.applying([redraw])
        let later = try new.applying([.expandItems(["a"])])
        #expect(later.difference(from: new).lines == ["expandItems a"])
        #expect(later.difference(from: old).lines == ["reconfigureItems a", "expandItems a"])
    }

    @Test func `requests survive a whole snapshot that is applied`() throws {
        let marked = try old.applying([
            redraw, .reloadItems([ItemReload(id: "b")]), .reloadSections([SectionReload(id: "s")]),
        ])
        let same = try Snapshot(old.sections, expansionFrom: marked)
        #expect(same.difference(from: marked).isEmpty)
        #expect(same.difference(from: old).lines == ["reloadSections s", "reloadItems b", "reconfigureItems a"])

        let sections = [Section(id: "s", content: "2", items: [Item(id: "a", kind: "k", content: "2"), Item(id: "b")])]
        let changed = try Snapshot(sections, expansionFrom: marked)
        #expect(
            changed.difference(from: marked).lines == [
                "deleteSections t", "reloadSections s=2", "reconfigureItems a=2",
            ])
        #expect(
            changed.difference(from: old).lines == [
                "deleteSections t", "reloadSections s=2", "reloadItems b", "reconfigureItems a=2",
            ])
    }

    @Test func `a request to make an item anew survives a whole snapshot that changes its content`() throws {
        let marked = try old.applying([remake])
        let items = [Item(id: "a", kind: "k", content: "2"), Item(id: "b")]
        let changed = try Snapshot(
            [Section(id: "s", content: "1", items: items), Section(id: "t")], expansionFrom: marked)
        #expect(changed.difference(from: marked).lines == ["reconfigureItems a=2"])
        #expect(changed.difference(from: old).lines == ["reloadItems a:k=2"])
    }

    @Test func `requests survive a section's items and an item's children that are replaced`() throws {
        let marked = try old.applying([redraw])
        let replaced = try marked.replacingItems(
            inSection: "s", with: [Item(id: "b"), Item(id: "a", kind: "k", content: "1")])
        #expect(replaced.difference(from: old).lines.contains("reconfigureItems a"))
        let moved = try marked.applying([.replaceChildren(of: "b", with: [Item(id: "a", kind: "k", content: "1")])])
        #expect(moved.difference(from: old).lines == ["moveItem a in s/b at the front", "reconfigureItems a"])
    }

    @Test func `a new kind together with new content, a move and an expansion loses nothing`() throws {
        let steps: [ListOperation] = [
            .reloadItems([ItemReload(id: "a", kind: "l")]),
            .reconfigureItems([ItemReconfiguration(id: "a", content: "2")]),
            .moveItem("a", to: .end(of: .section("t"))), .expandItems(["a"]), redraw,
        ]
        // The order does not matter.
        for shift in steps.indices {
            try expect(
                Array(steps[shift...] + steps[..<shift]), "moveItem a in t at the front", "reloadItems a:l=2",
                "expandItems a")
        }
    }

    @Test func `a request is not told again when the item is deleted and inserted`() throws {
        let marked = try old.applying([remake])
        let back = ListOperation.insertItems([Item(id: "a", kind: "k", content: "1")], at: .before("b"))
        let at = try marked.applying([.deleteItems(["a"]), back])
        #expect(at.difference(from: marked).isEmpty)
        let apart = try marked.applying([.deleteItems(["a"])]).applying([back])
        #expect(apart.difference(from: marked).isEmpty)
        #expect(
            try marked.applying([.deleteAllItems]).applying([.appendSections(old.sections)]).difference(from: marked)
                .isEmpty)
    }

    @Test func `a request for what was deleted and inserted is told`() throws {
        let marked = try old.applying([remake])
        let back = ListOperation.insertItems([Item(id: "a", kind: "k", content: "1")], at: .before("b"))
        let again = try marked.applying([.deleteItems(["a"]), back]).applying([remake])
        #expect(again.difference(from: marked).lines == ["reloadItems a"])
        #expect(again.difference(from: old).lines == ["reloadItems a"])
    }

    @Test func `a request after the list went back to what it was is told`() throws {
        let marked = try old.applying([remake])
        let undone = old.restored(after: marked)
        #expect(undone.difference(from: marked).isEmpty)
        #expect(try undone.applying([remake]).difference(from: marked).lines == ["reloadItems a"])
    }

    @Test func `requests are told of what is shown of a list`() throws {
        let selection = Selection(isMatch: { $0.id == "a" })
        let marked = try old.applying([remake])
        let window = Window(start: .offset(0), limit: 1)
        for shown in [selection.evaluate, { window.extract(from: $0).snapshot }] as [(Snapshot) -> Snapshot] {
            #expect(shown(marked).difference(from: shown(old)).lines == ["reloadItems a"])
        }
        let step = marked.difference(from: old)
        let advanced = selection.advance(selection.evaluate(old), from: old, to: marked, by: step)
        #expect(advanced.difference(from: selection.evaluate(old)).lines == ["reloadItems a"])
        #expect(selection.evaluate(marked).difference(from: advanced).isEmpty)
    }

    @Test func `a request and a move are both told`() throws {
        try expect(
            [redraw, .moveItem("a", to: .end(of: .section("t")))], "moveItem a in t at the front", "reconfigureItems a")
        try expect(
            [.moveItem("a", to: .end(of: .parent("b"))), remake], "moveItem a in s/b at the front", "reloadItems a")
        try expect(
            [.moveSection("s", to: .after("t")), .reloadSections([SectionReload(id: "s")])],
            "moveSection t at the front", "reloadSections s")
    }

    private func expect(
        _ operations: [ListOperation], _ lines: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let new = try old.applying(operations)
        let difference = new.difference(from: old)
        #expect(difference.lines == lines, sourceLocation: sourceLocation)
        #expect(try old.applying(difference) == new, sourceLocation: sourceLocation)
    }
}
