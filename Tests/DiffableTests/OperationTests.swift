import Diffable
import Testing

@Suite struct `What each operation does` {
    @Test func `appendSections puts sections with their whole subtrees at the end`() throws {
        let sections = [Section(id: "t", items: outlined("c(d)")), Section(id: "u")]
        try expect("s: a", .appendSections(sections), gives: "s: a; t: c(d); u:")
    }

    @Test func `insertSections puts sections before another, after it, or at the front, in the order given`() throws {
        let sections = [Section(id: "u"), Section(id: "v", items: outlined("c"))]
        try expect("s:; t:", .insertSections(sections, at: .before("t")), gives: "s:; u:; v: c; t:")
        try expect("s:; t:", .insertSections(sections, at: .after("s")), gives: "s:; u:; v: c; t:")
        try expect("s:; t:", .insertSections(sections, at: .front), gives: "u:; v: c; s:; t:")
    }

    @Test func `deleteSections takes their items along`() throws {
        let old = try Snapshot(outline: "s: a(b); t: c; u:")
        let new = try old.applying([.deleteSections(["s", "u"])])
        #expect(new.outline == "t: c")
        #expect(!new.contains("b" as ItemID) && new.numberOfItems == 1)
    }

    @Test func `deleteSections passes over unknown ones when told to`() throws {
        try expect("s: a; t:", .deleteSections(["x", "t", "t"], .isPassedOver), gives: "s: a")
    }

    @Test func `moveSection takes a section with its items before or after another, or to the front`() throws {
        try expect("s: a(b); t:; u:", .moveSection("s", to: .before("u")), gives: "t:; s: a(b); u:")
        try expect("s: a(b); t:; u:", .moveSection("s", to: .after("u")), gives: "t:; u:; s: a(b)")
        try expect("s: a(b); t:; u:", .moveSection("u", to: .front), gives: "u:; s: a(b); t:")
        try expect("s: a", .moveSection("s", to: .front), gives: "s: a")
    }

    @Test func `reloadSections replaces a section's content, takes it away, or keeps it`() throws {
        let old = try Snapshot([Section(id: "s", content: "1", items: outlined("a"))])
        func content(_ reload: SectionReload) throws -> Content? {
            try old.applying([.reloadSections([reload])]).section("s")?.content
        }
        #expect(try content(SectionReload(id: "s", content: "2")) == "2")
        #expect(try content(SectionReload(id: "s", content: .some(nil))) == nil)
        #expect(try content(SectionReload(id: "s")) == "1")
    }

    @Test func `items that name no section make the first one of a list that has none`() throws {
        try expect("", .appendItems(outlined("a(b) c")), gives: "main: a(b) c")
        try expect("", .insertItems(outlined("a b"), at: .front(of: .lastSection)), gives: "main: a b")
        try expect("", .insertItems(outlined("a"), at: .end(of: .lastSection)), gives: "main: a")
        let again = try Snapshot(outline: "s: a").applying([.deleteAllItems, .appendItems(outlined("b"))])
        #expect(again.outline == "main: b")
        // Without items, no section is created.
        #expect(throws: TransactionError(index: 0, reason: .noSuchSection("main"))) {
            try Snapshot().applying([.appendItems([])])
        }
        // A named section must exist.
        #expect(throws: TransactionError(index: 0, reason: .noSuchSection("main"))) {
            try Snapshot().applying([.appendItems(outlined("a"), to: .section("main"))])
        }
    }

    @Test func `appendItems puts items at the end of a section, of a parent, or else of the last section`() throws {
        try expect("s: a; t: b", .appendItems(outlined("c d"), to: .section("s")), gives: "s: a c d; t: b")
        try expect("s: a(b)", .appendItems(outlined("c d"), to: .parent("a")), gives: "s: a(b c d)")
        try expect("s: a; t: b", .appendItems(outlined("c+(d)")), gives: "s: a; t: b c+(d)")
    }

    @Test func `insertItems makes items siblings of their anchor, or puts them at the front of a container`() throws {
        let new = outlined("x(y) z")
        try expect("s: a b(c)", .insertItems(new, at: .before("b")), gives: "s: a x(y) z b(c)")
        try expect("s: a b(c)", .insertItems(new, at: .before("c")), gives: "s: a b(x(y) z c)")
        try expect("s: a b(c)", .insertItems(new, at: .front(of: .section("s"))), gives: "s: x(y) z a b(c)")
        try expect("s: a b(c)", .insertItems(new, at: .front(of: .parent("b"))), gives: "s: a b(x(y) z c)")
        try expect("s: a b(c)", .insertItems(new, at: .front(of: .parent("a"))), gives: "s: a(x(y) z) b(c)")
        try expect("s: a b(c)", .insertItems(new, at: .end(of: .parent("b"))), gives: "s: a b(c x(y) z)")
    }

    @Test func `after an item means after its whole subtree`() throws {
        try expect("s: a(b(c)) d", .insertItems(outlined("x"), at: .after("a")), gives: "s: a(b(c)) x d")
        try expect("s: a(b(c)) d", .moveItem("d", to: .after("b")), gives: "s: a(b(c) d)")
    }

    @Test func `an item may be inserted next to one that the same transaction inserted`() throws {
        let new = try Snapshot(outline: "s: a").applying([
            .insertItems(outlined("b"), at: .after("a")), .insertItems(outlined("c"), at: .after("b")),
        ])
        #expect(new.outline == "s: a b c")
    }

    @Test func `a container that is named beside an anchor is where the anchor stands`() throws {
        let container = Container(section: "s", parent: "a")
        try expect("s: a(b)", .insertItems(outlined("x"), at: .after("b", in: container)), gives: "s: a(b x)")
        try expect("s: a(b) c", .moveItem("c", to: .before("b", in: container)), gives: "s: a(c b)")
    }

    @Test func `deleteItems takes descendants along, and may name a parent together with its child`() throws {
        try expect("s: a(b(c)) d e", .deleteItems(["a"]), gives: "s: d e")
        try expect("s: a(b(c)) d e", .deleteItems(["a", "b", "e"]), gives: "s: d")
        try expect("s: a(b(c)) d e", .deleteItems(["b", "a", "a"]), gives: "s: d e")
    }

    @Test func `deleteItems passes over unknown ones when told to`() throws {
        try expect("s: a b", .deleteItems(["x", "a"], .isPassedOver), gives: "s: b")
    }

    @Test func `deleteAllItems takes the sections too`() throws {
        let new = try Snapshot(outline: "s: a(b); t: c").applying([.deleteAllItems])
        #expect(new.isEmpty && new.numberOfItems == 0 && new == Snapshot())
    }

    @Test func `moveItem takes an item with its descendants to a sibling or into a container`() throws {
        try expect("s: a(b) c; t:", .moveItem("a", to: .after("c")), gives: "s: c a(b); t:")
        try expect("s: a(b) c; t:", .moveItem("c", to: .before("a")), gives: "s: c a(b); t:")
        try expect("s: a(b) c; t:", .moveItem("a", to: .end(of: .section("t"))), gives: "s: c; t: a(b)")
        try expect("s: a(b) c; t:", .moveItem("a", to: .end(of: .lastSection)), gives: "s: c; t: a(b)")
        try expect("s: a(b) c; t:", .moveItem("c", to: .front(of: .parent("a"))), gives: "s: a(c b); t:")
        try expect("s: a(b) c; t:", .moveItem("c", to: .end(of: .parent("a"))), gives: "s: a(b c); t:")
        try expect("s: a(b) c; t:", .moveItem("b", to: .front(of: .section("s"))), gives: "s: b a c; t:")
        try expect("s: a", .moveItem("a", to: .end(of: .section("s"))), gives: "s: a")
    }

    @Test func `an item keeps its expansion where it moves to, and when it loses its last child`() throws {
        try expect("s: a+(b) c", .moveItem("a", to: .end(of: .parent("c"))), gives: "s: c(a+(b))")
        try expect("s: a+(b) c", .deleteItems(["b"]), gives: "s: a+ c")
    }

    @Test func `reconfigureItems replaces content under the kind it has, takes it away, or keeps it`() throws {
        let old = try Snapshot([Section(id: "s", items: [Item(id: "a", kind: "k", content: "1")])])
        func item(_ change: ItemReconfiguration) throws -> [String?] {
            let item = try old.applying([.reconfigureItems([change])]).item("a")
            return [item?.kind?.description, item?.content?.description]
        }
        #expect(try item(ItemReconfiguration(id: "a", content: "2")) == ["k", "2"])
        #expect(try item(ItemReconfiguration(id: "a", content: .some(nil))) == ["k", nil])
        #expect(try item(ItemReconfiguration(id: "a")) == ["k", "1"])
    }

    @Test func `patchItems computes the content from the one that the item has when its turn comes`() throws {
        let twice = ItemPatch(id: "a") { content in Content((content?.bytes ?? []) + [0x21]) }
        let new = try Snapshot(outline: "s: a").applying([
            .patchItems([twice]), .reconfigureItems([ItemReconfiguration(id: "a", content: "1")]),
            .patchItems([twice, twice]),
        ])
        #expect(new.item("a")?.content == "1!!")
        #expect(try new.applying([.patchItems([ItemPatch(id: "a") { _ in nil }])]).item("a")?.content == nil)
    }

    @Test func `reloadItems replaces kind and content, and keeps what it does not say`() throws {
        let old = try Snapshot([Section(id: "s", items: [Item(id: "a", kind: "k", content: "1")])])
        func item(_ reload: ItemReload) throws -> [String?] {
            let item = try old.applying([.reloadItems([reload])]).item("a")
            return [item?.kind?.description, item?.content?.description]
        }
        #expect(try item(ItemReload(id: "a", kind: "l", content: "2")) == ["l", "2"])
        #expect(try item(ItemReload(id: "a", kind: "l")) == ["l", "1"])
        #expect(try item(ItemReload(id: "a", content: "2")) == ["k", "2"])
        #expect(try item(ItemReload(id: "a", kind: .some(nil), content: .some(nil))) == [nil, nil])
        #expect(try item(ItemReload(id: "a")) == ["k", "1"])
    }

    @Test func `expandItems and collapseItems need no children and may be said twice`() throws {
        try expect("s: a(b) c", .expandItems(["a", "c", "a"]), gives: "s: a+(b) c+")
        try expect("s: a+(b) c+", .collapseItems(["c", "c"]), gives: "s: a+(b) c")
    }

    @Test func `replaceChildren keeps what is named, brings what is new, and drops the rest`() throws {
        try expect("s: a(b(c) d) e", .replaceChildren(of: "a", with: outlined("d f c")), gives: "s: a(d f c) e")
        try expect("s: a(b(c) d) e", .replaceChildren(of: "a", with: []), gives: "s: a e")
    }

    @Test func `replaceChildren keeps expansion that is not said`() throws {
        try expect("s: a(b+(c) d+)", .replaceChildren(of: "a", with: outlined("d b(c)")), gives: "s: a(d+ b+(c))")
    }

    @Test func `replaceChildren takes over items from elsewhere, even their parents' places`() throws {
        try expect("s: a(b) e(f); t: g", .replaceChildren(of: "a", with: outlined("g(f)")), gives: "s: a(g(f)) e; t:")
        // Children that the new state does not name are deleted.
        try expect("s: a e(f)", .replaceChildren(of: "a", with: outlined("e")), gives: "s: a(e)")
        try expect("s: a(b(c))", .replaceChildren(of: "a", with: outlined("c(b)")), gives: "s: a(c(b))")
    }

    @Test func `replacing a section's items makes the section at the end and takes items over`() throws {
        let old = try Snapshot(outline: "s: a b(c)")
        #expect(try old.replacingItems(inSection: "t", with: outlined("c d")).outline == "s: a b; t: c d")
        #expect(try old.replacingItems(inSection: "s", with: outlined("c(a)")).outline == "s: c(a)")
    }

    @Test func `an empty operation changes nothing`() throws {
        let old = try Snapshot(outline: "s: a+(b)")
        let new = try old.applying([
            .appendSections([]), .insertSections([], at: .front), .deleteSections([]), .reloadSections([]),
            .appendItems([]), .insertItems([], at: .after("b")), .deleteItems([]), .reconfigureItems([]),
            .patchItems([]), .reloadItems([]), .expandItems([]), .collapseItems([]),
        ])
        #expect(new == old && new.difference(from: old).isEmpty)
    }

    private func expect(
        _ old: String, _ operation: ListOperation, gives new: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let old = try Snapshot(outline: old)
        let snapshot = try old.applying([operation])
        #expect(snapshot.outline == new, sourceLocation: sourceLocation)
        snapshot.checkInvariants(sourceLocation: sourceLocation)
        #expect(try old.applying(snapshot.difference(from: old)) == snapshot, sourceLocation: sourceLocation)
    }
}
