import Diffable
import TestSupport
import Testing

@Suite struct `What is read from a snapshot` {
    @Test func `every read of every tiny outline`() throws {
        for size in 0...4 {
            for shape in outlines(["a", "b", "c", "d"].prefix(size).map(\.self)) {
                for expansion in 0..<1 << size {
                    let last = Model.Node(id: "y", children: [Model.Node(id: "z", kind: "k")])
                    var model = Model()
                    model.sections = [
                        Model.Node(id: "r"),
                        Model.Node(id: "s", content: "1", children: shape.map { $0.expanded(expansion) }),
                        Model.Node(id: "t", children: [last]),
                    ]
                    try check(model, "exhaustive")
                }
            }
        }
    }

    @Test func `every read of every tiny choice of sections`() throws {
        for ids in arrangements(["a", "b", "c"]) {
            var model = Model()
            model.sections = ids.map { Model.Node(id: $0, content: $0, children: [Model.Node(id: "in\($0)")]) }
            try check(model, "exhaustive")
        }
    }

    @Test func `every read of random outlines`() throws {
        var random = SplitMix64()
        for size in [10, 50, 300] { try check(.random(size, of: size + 10, &random), "seed \(random.seed)") }
    }

    @Test func `every read where siblings and children fill many pages`() throws {
        var model = Model()
        model.sections = (0..<70).map { Model.Node(id: "s\($0)") }
        model.sections[3].children = (0..<700).map { Model.Node(id: "\($0)", isExpanded: $0 % 3 == 0) }
        for parent in [0, 350, 699] {
            model.sections[3].children[parent].children = (0..<100).map { Model.Node(id: "\(parent)x\($0)") }
        }
        try check(model, "pages")
    }

    @Test func `what is unknown reads as nil`() throws {
        for snapshot in [Snapshot(), try Snapshot(outline: "s: a(b); t:")] {
            checkUnknown(item: "s", in: snapshot)
            checkUnknown(section: "a", in: snapshot)
        }
        let old = try Snapshot(outline: "s: a(b); t:")
        let new = try old.applying([.deleteSections(["s"])])
        checkUnknown(item: "b", in: new)
        checkUnknown(section: "s", in: new)
        #expect(old.contains("b" as ItemID) && old.contains("s" as SectionID))
    }

    private func checkUnknown(item id: ItemID, in snapshot: Snapshot) {
        #expect(!snapshot.contains(id))
        #expect(snapshot.item(id) == nil && snapshot.index(ofItem: id) == nil)
        #expect(snapshot.indexInSection(ofItem: id) == nil && snapshot.sectionIdentifier(containingItem: id) == nil)
        #expect(snapshot.parent(of: id) == nil && snapshot.children(of: id) == nil && snapshot.level(of: id) == nil)
        #expect(snapshot.isExpanded(id) == nil && snapshot.isVisible(id) == nil)
        #expect(snapshot.subtree(of: id) == nil && snapshot.subtree(of: id, .childrenOnly) == nil)
    }

    private func checkUnknown(section id: SectionID, in snapshot: Snapshot) {
        #expect(!snapshot.contains(id))
        #expect(snapshot.section(id) == nil && snapshot.index(ofSection: id) == nil)
        #expect(snapshot.items(inSection: id) == nil && snapshot.itemIdentifiers(inSection: id) == nil)
        #expect(snapshot.visibleItems(inSection: id) == nil && snapshot.rootItems(inSection: id) == nil)
        #expect(snapshot.numberOfItems(inSection: id) == nil && snapshot.itemIdentifier(at: 0, inSection: id) == nil)
    }

    @Test func `an index beyond a section's items reads as nil`() throws {
        let snapshot = try Snapshot(outline: "s: a(b); t:")
        #expect(snapshot.itemIdentifier(at: 1, inSection: "s") == "b")
        #expect(snapshot.itemIdentifier(at: 2, inSection: "s") == nil)
        #expect(snapshot.itemIdentifier(at: -1, inSection: "s") == nil)
        #expect(snapshot.itemIdentifier(at: 0, inSection: "t") == nil)
    }

    @Test func `the visual description draws the outline`() throws {
        #expect(
            try Snapshot(outline: "s: a+(b(c)) d+; t:").visualDescription == """
                s
                  ▾ a
                    ▸ b
                        c
                    d
                t

                """)
        #expect(Snapshot().visualDescription == "")
    }

    // MARK: Checking

    /// Compares every read with plain arrays. Differences are collected by name, because an expectation for each would take
    /// longer than all the rest.
    private func check(_ model: Model, _ comment: String) throws {
        let snapshot = try model.snapshot
        var wrong = Set(model.sections.enumerated().flatMap { wrongReads(of: $1, at: $0, in: snapshot) })
        func read<Value: Equatable>(_ name: String, _ value: Value, _ expected: Value) {
            if value != expected { wrong.insert(name) }
        }
        let flattened = model.flattened.map(\.id)
        read("numberOfSections", snapshot.numberOfSections, model.sections.count)
        read("numberOfItems", snapshot.numberOfItems, flattened.count)
        read("isEmpty", snapshot.isEmpty, model.sections.isEmpty)
        read("sectionIdentifiers", snapshot.sectionIdentifiers.map(\.description), model.sections.map(\.id))
        read("itemIdentifiers", snapshot.itemIdentifiers.map(\.description), flattened)
        read("sections", Model(snapshot), model)
        read("equality", try model.snapshot, snapshot)
        for (index, id) in flattened.enumerated() {
            read("index(ofItem:)", snapshot.index(ofItem: ItemID(stringLiteral: id)), index)
        }
        #expect(wrong.isEmpty, "\(comment): \(model)")
    }

    private func wrongReads(of section: Model.Node, at index: Int, in snapshot: Snapshot) -> Set<String> {
        var wrong: Set<String> = []
        func read<Value: Equatable>(_ name: String, _ value: Value, _ expected: Value) {
            if value != expected { wrong.insert(name) }
        }
        let id = SectionID(stringLiteral: section.id)
        let places = section.places
        read("contains section", snapshot.contains(id), true)
        read("section", snapshot.section(id)?.content?.description, section.content)
        read("section's items", snapshot.section(id)?.items.map(Model.Node.init), section.children)
        read("items(inSection:)", snapshot.items(inSection: id)?.map(Model.Node.init), section.children)
        read("itemIdentifiers(inSection:)", names(snapshot.itemIdentifiers(inSection: id)), places.map(\.node.id))
        read(
            "visibleItems", names(snapshot.visibleItems(inSection: id)), places.filter(\.isVisible).map(\.node.id))
        read("rootItems", names(snapshot.rootItems(inSection: id)), section.children.map(\.id))
        read("numberOfItems(inSection:)", snapshot.numberOfItems(inSection: id), places.count)
        read("index(ofSection:)", snapshot.index(ofSection: id), index)
        for (offset, place) in places.enumerated() {
            let item = ItemID(stringLiteral: place.node.id)
            read("sectionIdentifier", snapshot.sectionIdentifier(containingItem: item), id)
            read("indexInSection", snapshot.indexInSection(ofItem: item), offset)
            read("itemIdentifier(at:)", snapshot.itemIdentifier(at: offset, inSection: id), item)
            wrong.formUnion(wrongReads(of: place, item, in: snapshot))
        }
        return wrong
    }

    private func wrongReads(of place: Place, _ id: ItemID, in snapshot: Snapshot) -> Set<String> {
        var wrong: Set<String> = []
        func read<Value: Equatable>(_ name: String, _ value: Value, _ expected: Value) {
            if value != expected { wrong.insert(name) }
        }
        read("contains item", snapshot.contains(id), true)
        read("item", snapshot.item(id).map(Model.Node.init), place.node)
        read("parent", snapshot.parent(of: id)?.description, place.parent)
        read("children", names(snapshot.children(of: id)), place.node.children.map(\.id))
        read("level", snapshot.level(of: id), place.level)
        read("isExpanded", snapshot.isExpanded(id), place.node.isExpanded)
        read("isVisible", snapshot.isVisible(id), place.isVisible)
        read("subtree", snapshot.subtree(of: id)?.map(Model.Node.init), [place.node])
        read("children's subtrees", snapshot.subtree(of: id, .childrenOnly)?.map(Model.Node.init), place.node.children)
        return wrong
    }

    private func names(_ ids: [ItemID]?) -> [String]? { ids?.map(\.description) }
}

/// The place of an item in the model.
private struct Place {
    var node: Model.Node
    var parent: String?
    var level: Int
    var isVisible: Bool
}

extension Model.Node {
    /// Its descendants, each before its children.
    fileprivate var places: [Place] {
        var places: [Place] = []
        func visit(_ nodes: [Model.Node], _ parent: String?, _ level: Int, _ isVisible: Bool) {
            for node in nodes {
                places.append(Place(node: node, parent: parent, level: level, isVisible: isVisible))
                visit(node.children, node.id, level + 1, isVisible && node.isExpanded)
            }
        }
        visit(children, nil, 0, true)
        return places
    }

    /// Expanded where the bit of its letter is set.
    fileprivate func expanded(_ bits: Int) -> Model.Node {
        var node = self
        node.isExpanded = bits >> Int(id.utf8.first! - 0x61) & 1 == 1
        node.children = children.map { $0.expanded(bits) }
        return node
    }
}
