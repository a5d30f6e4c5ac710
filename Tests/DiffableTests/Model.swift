import Diffable

/// The same list as plain nested arrays: slow, obvious, and written apart from the snapshot, to check it by.
struct Model: Equatable {
    struct Node: Equatable {
        var id: String
        var content: String?
        var isExpanded = false
        var children: [Node] = []
    }

    /// The sections; an item is a node below one.
    var sections: [Node] = []

    init() {}

    init(_ snapshot: Snapshot) {
        sections = snapshot.sections.map { section in
            Node(id: "\(section.id)", content: section.content?.description, children: section.items.map(Node.init))
        }
    }

    var snapshot: Snapshot {
        get throws { try Snapshot(sections.map(\.section)) }
    }
}

extension Model.Node {
    init(_ item: Item) {
        self.init(
            id: "\(item.id)", content: item.content?.description, isExpanded: item.isExpanded ?? false,
            children: item.children.map(Model.Node.init))
    }

    var item: Item {
        Item(
            id: ItemID(stringLiteral: id), content: content.map { Content(Array($0.utf8)) }, isExpanded: isExpanded,
            children: children.map(\.item))
    }

    var section: Section {
        Section(
            id: SectionID(stringLiteral: id), content: content.map { Content(Array($0.utf8)) },
            items: children.map(\.item))
    }

    var flattened: [Model.Node] { [self] + children.flatMap(\.flattened) }
}

// MARK: - Replaying what is pushed

extension Model {
    /// Applies an operation in the form in which subscribers receive it.
    mutating func replay(_ operation: Operation) {
        switch operation {
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
    /// Survivors less a longest increasing subsequence among those that keep their owner, for each owner.
    func fewestMoves(from old: Model) -> Int {
        let survivors = Set(flattened.map(\.id)).intersection(old.flattened.map(\.id))
        let oldSections = old.sections.map(\.id)
        var moves = Model.movesNeeded(sections.map(\.id).filter(oldSections.contains), oldSections)
        var oldOwners: [String: (owner: String, position: Int)] = [:]
        old.forEachOwner { owner, children in
            for (position, child) in children.enumerated() { oldOwners[child.id] = (owner, position) }
        }
        forEachOwner { owner, children in
            let here = children.map(\.id).filter(survivors.contains)
            let positions = here.compactMap { oldOwners[$0]!.owner == owner ? oldOwners[$0]!.position : nil }
            moves += here.count - Model.longestIncreasing(positions)
        }
        return moves
    }

    private static func movesNeeded(_ new: [String], _ old: [String]) -> Int {
        new.count - longestIncreasing(new.map { old.firstIndex(of: $0)! })
    }

    private static func longestIncreasing(_ numbers: [Int]) -> Int {
        var best: [Int] = []
        for (index, number) in numbers.enumerated() {
            best.append(1 + (zip(numbers[..<index], best).filter { $0.0 < number }.map(\.1).max() ?? 0))
        }
        return best.max() ?? 0
    }

    var flattened: [Node] { sections.flatMap(\.children).flatMap(\.flattened) }

    /// Sections and items are told apart by a prefix.
    private func forEachOwner(_ body: (String, [Node]) -> Void) {
        for section in sections {
            body("section " + section.id, section.children)
            for item in section.children.flatMap(\.flattened) { body("item " + item.id, item.children) }
        }
    }
}

extension [Operation] {
    var moves: Int {
        count {
            switch $0 {
            case .moveItem, .moveSection: true
            default: false
            }
        }
    }
}
