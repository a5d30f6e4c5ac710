import TestSupport
import Testing

@testable import Diffable

@Suite struct `The canonical form of a difference` {
    @Test func `placements come first, then deletions, reloads, contents and expansion`() throws {
        let old = try Snapshot(outline: "s: a b c d+ e; t: f; u:")
        let new = try old.applying([
            .expandItems(["a"]), .collapseItems(["d"]), .reconfigureItems([ItemReconfiguration(id: "b", content: "1")]),
            .reloadItems([ItemReload(id: "c", kind: "k")]), .reloadSections([SectionReload(id: "s", content: "1")]),
            .deleteItems(["e"]), .deleteSections(["u"]), .moveItem("f", to: .front(of: .section("s"))),
            .appendItems(outlined("x")), .appendSections([Section(id: "v")]),
        ])
        #expect(
            new.difference(from: old).lines == [
                "moveItem f in s at the front", "insertItems x in t at the front", "insertSections v: after t",
                "deleteItems e", "deleteSections u", "reloadSections s=1", "reloadItems c:k=none",
                "reconfigureItems b=1", "expandItems a", "collapseItems d",
            ])
    }

    @Test func `each placement names its section, its parent when it has one, and what it comes after`() throws {
        try expect("s: a; t:", "s: x a; t:", "insertItems x in s at the front")
        try expect("s: a; t:", "s: a x; t:", "insertItems x in s after a")
        try expect("s: a; t:", "s: a(x); t:", "insertItems x in s/a at the front")
        try expect("s: a(b); t:", "s: a(b x); t:", "insertItems x in s/a after b")
        try expect("s: a(b(c)); t:", "s: a(b(c x)); t:", "insertItems x in s/b after c")
        try expect("s: a; t:", "s:; t: a", "moveItem a in t at the front")
        try expect("s: a b; t:", "s: a(b); t:", "moveItem b in s/a at the front")
        try expect("s: a(b) c; t:", "s: a c b; t:", "moveItem b in s after c")
        try expect("s:; t:; u:", "u:; s:; t:", "moveSection u at the front")
        try expect("s:; t:", "s:; x:; t:", "insertSections x: after s")
        try expect("s:; t:", "x:; s:; t:", "insertSections x: at the front")
    }

    @Test func `inserted neighbours are one operation with their subtrees`() throws {
        try expect("s: a b", "s: a x+(y z(w)) v b", "insertItems x+(y z(w)) v in s after a")
        try expect("s: a b", "s: x a y b", "insertItems x in s at the front", "insertItems y in s after a")
        try expect("s:", "s:; x: a(b); y:", "insertSections x: a(b); y: after s")
        try expect("", "x: a(b); y:", "insertSections x: a(b); y: at the front")
    }

    @Test func `a survivor that is moved between two new ones parts them`() throws {
        try expect(
            "s: a b c", "s: b c x a y", "insertItems x in s after c", "moveItem a in s after x",
            "insertItems y in s after a")
    }

    @Test func `deleted neighbours are one operation, and what goes with a parent is not named`() throws {
        try expect("s: a b(c d) e; t: f", "s: e; t:", "deleteItems a b f")
        try expect("s: a b; t: c(d); u:", "s: a", "deleteItems b", "deleteSections t u")
        try expect("s: a(b); t: c", "", "deleteSections s t")
    }

    @Test func `what survives has left before its old parent or section goes`() throws {
        try expect("s: a(b(c))", "s: b(c)", "moveItem b in s at the front", "deleteItems a")
        try expect("s: a(b(c))", "s: c", "moveItem c in s at the front", "deleteItems a")
        try expect("s: a; t: b(c)", "s: a(c)", "moveItem c in s/a at the front", "deleteSections t")
    }

    @Test func `an inserted parent comes before the survivors that move under it`() throws {
        try expect(
            "s: a b c", "s: x(a b) c", "insertItems x in s at the front", "moveItem a in s/x at the front",
            "moveItem b in s/x after a")
        try expect(
            "s: a b", "s: x(y a z(b)) w", "insertItems x(y z) w in s at the front", "moveItem a in s/x after y",
            "moveItem b in s/z at the front")
        try expect(
            "s: a(b)", "t: x(a(b))", "insertSections t: x at the front", "moveItem a in t/x at the front",
            "deleteSections s")
    }

    @Test func `a parent and its child change places`() throws {
        try expect("s: a(b)", "s: b(a)", "moveItem b in s at the front", "moveItem a in s/b at the front")
        try expect(
            "s: a(b(c))", "s: c(b(a))", "moveItem c in s at the front", "moveItem b in s/c at the front",
            "moveItem a in s/b at the front")
    }

    @Test func `a section comes before its items, and each section's items before the next section`() throws {
        try expect(
            "s: a b; t: c", "t: c x; u: a; s: b y", "moveSection t at the front", "insertItems x in t after c",
            "insertSections u: after t", "moveItem a in u at the front", "insertItems y in s after b")
    }

    @Test func `a deleted item that comes back with the same id is the same item`() throws {
        let old = try Snapshot(outline: "s: a+(b) c")
        let new = try old.applying([.deleteItems(["a"]), .appendItems(outlined("a"))])
        #expect(
            new.difference(from: old).lines == ["moveItem c in s at the front", "deleteItems b", "collapseItems a"])
    }

    @Test func `an id may leave the sections and come among the items`() throws {
        try expect("a: b", "b: a", "insertSections b: a at the front", "deleteSections a")
    }

    // MARK: All and any

    @Test func `differences of all outlines of three ids are in canonical form`() throws {
        let lists = try arrangements(["a", "b", "c"]).flatMap(outlines).map { items in
            var model = Model()
            model.sections = [Model.Node(id: "s", children: items)]
            return try model.snapshot
        }
        for old in lists { for new in lists { checkForm(of: new, from: old, "exhaustive") } }
    }

    @Test func `differences of random outlines are in canonical form`() throws {
        var random = SplitMix64()
        for _ in 0..<100 {
            let old = try Model.random(Int.random(in: 0...40, using: &random), of: 50, &random).snapshot
            let new = try Model.random(Int.random(in: 0...40, using: &random), of: 50, &random).snapshot
            checkForm(of: new, from: old, "seed \(random.seed)")
        }
    }

    @Test func `differences of related outlines are in canonical form`() throws {
        var random = SplitMix64()
        var snapshot = Snapshot()
        for _ in 0..<150 {
            let operations = (0..<4).map { _ in ListOperation.random(for: snapshot, &random) }
            guard let next = try? snapshot.applying(operations) else { continue }
            checkForm(of: next, from: snapshot, "seed \(random.seed)")
            snapshot = next
        }
    }

    private func expect(
        _ old: String, _ new: String, _ lines: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let old = try Snapshot(outline: old)
        let new = try Snapshot(outline: new)
        let difference = new.difference(from: old)
        #expect(difference.lines == lines, sourceLocation: sourceLocation)
        #expect(try old.applying(difference) == new, sourceLocation: sourceLocation)
    }

    private func checkForm(of new: Snapshot, from old: Snapshot, _ comment: String) {
        var form = Form(old: old, new: new)
        for operation in new.difference(from: old) { form.read(operation) }
        #expect(form.broken.isEmpty, "\(comment): \(old.outline) to \(new.outline)")
    }
}

/// Reads a diff and collects its differences from the form of docs/protocol-operations.md.
private struct Form {
    let old: Snapshot
    let new: Snapshot
    var broken: Set<String> = []
    /// The position of each section and item in a reading of the whole document.
    private var places: [String: Int] = [:]
    private var lastPlace = -1
    private var hasRead = false
    private var lastRank = 0

    init(old: Snapshot, new: Snapshot) {
        self.old = old
        self.new = new
        var cursor = SnapshotCursor(new)
        while let element = cursor.next() {
            switch element {
            case .section(let record): places["section \(SectionID(record: record))"] = places.count
            case .item(let record, _, _, _): places["item \(ItemID(record: record))"] = places.count
            }
        }
    }

    private mutating func hold(_ condition: Bool, _ sentence: String) {
        if !condition { broken.insert(sentence) }
    }

    mutating func read(_ operation: ListOperation) {
        defer { hasRead = true }
        switch operation {
        case .reconfigureList(let content):
            hold(!hasRead, "the list's own content comes first")
            hold(content == new.content && content != old.content, "what is replaced has changed")
        case .insertSections(let sections, let position):
            readPlacement(of: sections.map(\.id), position)
            hold(sections.allSatisfy { !old.contains($0.id) }, "what is inserted is new")
            hold(sections.allSatisfy { areNew($0.items) }, "what is inserted is new")
        case .moveSection(let id, let position):
            hold(old.contains(id), "what is moved was there")
            readPlacement(of: [id], position)
        case .insertItems(let items, let position):
            hold(areNew(items), "what is inserted is new")
            if case .after(let anchor, _) = position { hold(old.contains(anchor), "neighbours are one operation") }
            readPlacement(of: items.map(\.id), position)
        case .moveItem(let id, let position):
            hold(old.contains(id), "what is moved was there")
            readPlacement(of: [id], position)
        case .deleteItems(let ids, let unknown):
            rank(1)
            hold(unknown == .isError && ids.allSatisfy(isNamedWhenDeleted), "only what goes by itself is named")
        case .deleteSections(let ids, let unknown):
            rank(2)
            hold(unknown == .isError && ids.allSatisfy { !new.contains($0) }, "what is deleted has gone")
        case .reloadSections: rank(3)
        case .reloadItems: rank(4)
        case .reconfigureItems: rank(5)
        case .expandItems: rank(6)
        case .collapseItems: rank(7)
        case .foldItems: rank(8)
        case .unfoldItems: rank(9)
        case .patchList, .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
            hold(false, "only what is pushed is in a difference")
        }
    }

    /// Checks the order: placements have rank 0, and each other rank occurs once at most.
    private mutating func rank(_ rank: Int) {
        hold(rank > lastRank, "placements, deletions, reloads, contents, expansion")
        lastRank = rank
    }

    private mutating func readPlacement(at place: Int?) {
        hold(lastRank == 0, "placements come first")
        hold((place ?? -1) > lastPlace, "placements are in document order")
        lastPlace = place ?? -1
    }

    private mutating func readPlacement(of ids: [SectionID], _ position: SectionPosition) {
        readPlacement(at: places["section \(ids[0])"])
        let index = new.index(ofSection: ids[0])!
        hold(Array(new.sectionIdentifiers[index..<index + ids.count]) == ids, "what is inserted are neighbours")
        switch position {
        case .front: hold(index == 0, "a placement says what it comes after")
        case .after(let id): hold(new.index(ofSection: id) == index - 1, "a placement says what it comes after")
        case .before: hold(false, "a placement says what it comes after")
        }
    }

    private mutating func readPlacement(of ids: [ItemID], _ position: ItemPosition) {
        readPlacement(at: places["item \(ids[0])"])
        let section = new.sectionIdentifier(containingItem: ids[0])!
        let parent = new.parent(of: ids[0])
        let siblings = parent.map { new.children(of: $0)! } ?? new.rootItems(inSection: section)!
        let index = siblings.firstIndex(of: ids[0])!
        if ids.count > 1 {
            hold(siblings.dropFirst(index).starts(with: ids), "what is inserted are neighbours")
        }
        switch position {
        case .front(let container):
            hold(container.section == section && container.parent == parent, "a placement names section and parent")
            hold(index == 0, "a placement says what it comes after")
        case .after(let anchor, let container):
            hold(container?.section == section && container?.parent == parent, "a placement names section and parent")
            hold(index > 0 && siblings[index - 1] == anchor, "a placement says what it comes after")
        case .before, .end: hold(false, "a placement says what it comes after")
        }
    }

    private func areNew(_ items: [Item]) -> Bool {
        items.allSatisfy { !old.contains($0.id) && new.contains($0.id) && areNew($0.children) }
    }

    private func isNamedWhenDeleted(_ id: ItemID) -> Bool {
        guard !new.contains(id), let section = old.sectionIdentifier(containingItem: id) else { return false }
        return old.parent(of: id).map(new.contains) ?? new.contains(section)
    }
}
