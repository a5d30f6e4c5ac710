import Diffable

/// A list as plain nested arrays: slow and simple, written independently of the snapshot to check it.
struct Model: Hashable {
    struct Node: Hashable {
        var id: String
        /// The kind of an item; nil for a section.
        var kind: String?
        var content: String?
        var isExpanded = false
        var children: [Node] = []
    }

    /// The list's own content.
    var content: String?
    /// The sections; items are nodes below them.
    var sections: [Node] = []

    init() {}

    init(_ snapshot: Snapshot) {
        content = snapshot.content?.description
        sections = snapshot.sections.map { section in
            Node(id: "\(section.id)", content: section.content?.description, children: section.items.map(Node.init))
        }
    }

    var snapshot: Snapshot {
        get throws { try Snapshot(sections.map(\.section), content: content.map(Content.init(stringLiteral:))) }
    }
}

extension Model.Node {
    init(_ item: Item) {
        self.init(
            id: "\(item.id)", kind: item.kind?.description, content: item.content?.description,
            isExpanded: item.isExpanded ?? false, children: item.children.map(Model.Node.init))
    }

    var item: Item {
        Item(
            id: ItemID(stringLiteral: id), kind: kind.map(Kind.init(stringLiteral:)),
            content: content.map(Content.init(stringLiteral:)), isExpanded: isExpanded, children: children.map(\.item))
    }

    var section: Section {
        Section(
            id: SectionID(stringLiteral: id), content: content.map(Content.init(stringLiteral:)),
            items: children.map(\.item))
    }

    var flattened: [Model.Node] { [self] + children.flatMap(\.flattened) }
}

// MARK: - Replaying updates

extension Model {
    /// Applies an operation in the form in which subscribers receive it.
    mutating func replay(_ operation: ListOperation) {
        switch operation {
        case .reconfigureList(let content): self.content = content?.description
        case .insertSections(let new, let position):
            insert(
                new.map { Node(id: "\($0.id)", content: $0.content?.description, children: $0.items.map(Node.init)) },
                position)
        case .moveSection(let id, let position):
            let index = sections.firstIndex { $0.id == "\(id)" }!
            insert([sections.remove(at: index)], position)
        case .deleteSections(let ids, _): sections.removeAll { section in ids.contains { "\($0)" == section.id } }
        case .reloadSections(let reloads):
            for reload in reloads {
                let index = sections.firstIndex { $0.id == "\(reload.id)" }!
                if let content = reload.content { sections[index].content = content?.description }
            }
        case .insertItems(let items, let position): insert(items.map(Node.init), position)
        case .moveItem(let id, let position):
            let node = take("\(id)")!
            insert([node], position)
        case .deleteItems(let ids, _): for id in ids { _ = take("\(id)") }
        case .reconfigureItems(let changes):
            for change in changes {
                if let content = change.content { update("\(change.id)") { $0.content = content?.description } }
            }
        case .reloadItems(let reloads):
            for reload in reloads {
                update("\(reload.id)") { node in
                    if let kind = reload.kind { node.kind = kind?.description }
                    if let content = reload.content { node.content = content?.description }
                }
            }
        case .expandItems(let ids): for id in ids { update("\(id)") { $0.isExpanded = true } }
        case .collapseItems(let ids): for id in ids { update("\(id)") { $0.isExpanded = false } }
        default: preconditionFailure("\(operation) is never pushed in these tests")
        }
    }

    private mutating func insert(_ new: [Node], _ position: SectionPosition) {
        switch position {
        case .front: sections.insert(contentsOf: new, at: 0)
        case .after(let id): sections.insert(contentsOf: new, at: sections.firstIndex { $0.id == "\(id)" }! + 1)
        case .before: preconditionFailure("pushed operations name what is before them")
        }
    }

    private mutating func insert(_ new: [Node], _ position: ItemPosition) {
        func place(_ container: Container, after anchor: String?) {
            let section = sections.firstIndex { $0.id == "\(container.section!)" }!
            func insert(into siblings: inout [Node]) {
                let index = anchor.map { anchor in siblings.firstIndex { $0.id == anchor }! + 1 } ?? 0
                siblings.insert(contentsOf: new, at: index)
            }
            guard let parent = container.parent else { return insert(into: &sections[section].children) }
            let found = Model.update("\(parent)", in: &sections[section].children) { insert(into: &$0.children) }
            precondition(found, "the parent stands in the section that is named")
        }
        switch position {
        case .front(let container): place(container, after: nil)
        case .after(let id, let container): place(container!, after: "\(id)")
        default: preconditionFailure("pushed operations name what is before them")
        }
    }

    private mutating func update(_ id: String, _ body: (inout Node) -> Void) {
        for section in sections.indices where Model.update(id, in: &sections[section].children, body) { return }
        preconditionFailure("no item \(id)")
    }

    private static func update(_ id: String, in nodes: inout [Node], _ body: (inout Node) -> Void) -> Bool {
        for index in nodes.indices {
            if nodes[index].id == id {
                body(&nodes[index])
                return true
            }
            if update(id, in: &nodes[index].children, body) { return true }
        }
        return false
    }

    private mutating func take(_ id: String) -> Node? {
        for section in sections.indices {
            if let node = Model.take(id, from: &sections[section].children) { return node }
        }
        return nil
    }

    private static func take(_ id: String, from nodes: inout [Node]) -> Node? {
        if let index = nodes.firstIndex(where: { $0.id == id }) { return nodes.remove(at: index) }
        for index in nodes.indices {
            if let node = take(id, from: &nodes[index].children) { return node }
        }
        return nil
    }
}

// MARK: - How few moves there can be

extension Model {
    /// Counts, for each owner, the survivors outside of a longest increasing subsequence of the survivors that keep their owner.
    func fewestMoves(from old: Model) -> Int {
        var oldOwners: [String: (owner: String, position: Int)] = [:]
        old.forEachOwner { owner, children in
            for (position, child) in children.enumerated() { oldOwners[child] = (owner, position) }
        }
        var moves = 0
        forEachOwner { owner, children in
            let survivors = children.compactMap { oldOwners[$0] }
            let positions = survivors.compactMap { $0.owner == owner ? $0.position : nil }
            moves += survivors.count - Model.longestIncreasing(positions)
        }
        return moves
    }

    /// From the back: the longest subsequence that begins with each number.
    private static func longestIncreasing(_ numbers: [Int]) -> Int {
        if numbers == numbers.sorted() { return numbers.count }
        var lengths = [Int](repeating: 1, count: numbers.count)
        for index in numbers.indices.reversed() {
            for later in numbers.indices[(index + 1)...] where numbers[later] > numbers[index] {
                lengths[index] = max(lengths[index], lengths[later] + 1)
            }
        }
        return lengths.max() ?? 0
    }

    var flattened: [Node] { sections.flatMap(\.children).flatMap(\.flattened) }

    /// Sections and items are distinguished by a prefix; the list's own name is empty.
    private func forEachOwner(_ body: (String, [String]) -> Void) {
        body("", sections.map { "section " + $0.id })
        for section in sections {
            body("section " + section.id, section.children.map { "item " + $0.id })
            for item in section.children { item.forEachOwner(body) }
        }
    }
}

extension Model.Node {
    fileprivate func forEachOwner(_ body: (String, [String]) -> Void) {
        guard !children.isEmpty else { return }
        body("item " + id, children.map { "item " + $0.id })
        for child in children { child.forEachOwner(body) }
    }
}

extension [ListOperation] {
    var moves: Int {
        count {
            switch $0 {
            case .moveItem, .moveSection: true
            default: false
            }
        }
    }
}
