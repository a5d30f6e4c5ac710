/// Writes placements as operations, in the new document order: a section before its items, a parent before its
/// children.
///
/// Each operation names the neighbour before it. That neighbour is in its place already: it stayed, or an earlier
/// operation put it there. So is the whole chain of its ancestors, which is why nothing is ever moved under itself.
struct PlacementWriter {
    private let matching: SnapshotMatching
    private var new: Snapshot { matching.new }
    private let placements: [Handle: [SiblingAlignment.Placement]]
    /// The children of an owner under which something is placed.
    private var branches: [Handle: [Handle]] = [:]
    private var operations: [Operation] = []
    /// Inserted neighbours that become one operation.
    private var run: [Handle] = []
    private var runPrevious: Handle?

    static func operations(_ order: OrderDifference, _ matching: SnapshotMatching) -> [Operation] {
        guard !order.placements.isEmpty else { return [] }
        var writer = PlacementWriter(order, matching)
        writer.write(under: Forest.list)
        return writer.operations
    }

    private init(_ order: OrderDifference, _ matching: SnapshotMatching) {
        self.matching = matching
        self.placements = order.placements
        var isKnown: Set<Handle> = [Forest.list]
        for owner in order.placements.keys {
            var handle = owner
            while isKnown.insert(handle).inserted {
                let parent = matching.new.forest.parent(handle)
                branches[parent, default: []].append(handle)
                handle = parent
            }
        }
    }

    // MARK: Owners that were there before

    private mutating func write(under owner: Handle) {
        let placements = placements[owner] ?? []
        var branches = indexedBranches(owner, besides: placements)[...]
        var previousIndex: Int?
        for placement in placements {
            while let branch = branches.first, branch.index < placement.index {
                finishRun(under: owner)
                write(under: branch.handle)
                branches.removeFirst()
            }
            if matching.oldHandle(placement.handle) == nil {
                if let previousIndex, previousIndex + 1 != placement.index { finishRun(under: owner) }
                if run.isEmpty { runPrevious = placement.previous }
                run.append(placement.handle)
            } else {
                finishRun(under: owner)
                move(placement.handle, under: owner, after: placement.previous)
                write(under: placement.handle)
            }
            previousIndex = placement.index
        }
        finishRun(under: owner)
        for branch in branches { write(under: branch.handle) }
    }

    /// The children that stay and have placements under them, in order.
    private func indexedBranches(
        _ owner: Handle, besides placements: [SiblingAlignment.Placement]
    ) -> [(handle: Handle, index: Int)] {
        guard let handles = branches[owner] else { return [] }
        let placed = Set(placements.lazy.map(\.handle))
        return handles.filter { !placed.contains($0) }
            .map { ($0, new.forest.siblingIndex($0)) }
            .sorted { $0.index < $1.index }
    }

    private mutating func move(_ handle: Handle, under owner: Handle, after previous: Handle?) {
        if owner == Forest.list {
            operations.append(.moveSection(new.sectionID(handle), to: sectionPosition(previous)))
        } else {
            operations.append(.moveItem(new.itemID(handle), to: itemPosition(under: owner, previous)))
        }
    }

    // MARK: What is new

    private mutating func finishRun(under owner: Handle) {
        guard !run.isEmpty else { return }
        let handles = run
        run = []
        var moved: [Handle] = []
        if owner == Forest.list {
            let sections = handles.map { handle in
                Section(record: new.forest.record(handle), items: newItems(under: handle, &moved))
            }
            operations.append(.insertSections(sections, at: sectionPosition(runPrevious)))
        } else {
            let items = handles.map { newItem($0, &moved) }
            operations.append(.insertItems(items, at: itemPosition(under: owner, runPrevious)))
        }
        // Those that were elsewhere before come into the new ones when these are there.
        for handle in moved {
            move(handle, under: new.forest.parent(handle), after: new.forest.previousSibling(handle))
            write(under: handle)
        }
    }

    private func newItem(_ handle: Handle, _ moved: inout [Handle]) -> Item {
        Item(
            record: new.forest.record(handle), isExpanded: new.forest.isExpanded(handle),
            children: newItems(under: handle, &moved))
    }

    /// The children that are new too; the others are noted in document order.
    private func newItems(under owner: Handle, _ moved: inout [Handle]) -> [Item] {
        guard let tree = new.forest.children(owner) else { return [] }
        var items: [Item] = []
        var cursor = SiblingCursor(tree)
        while let handle = cursor.next() {
            if matching.oldHandle(handle) == nil {
                items.append(newItem(handle, &moved))
            } else {
                moved.append(handle)
            }
        }
        return items
    }

    // MARK: Positions

    private func sectionPosition(_ previous: Handle?) -> SectionPosition {
        previous.map { .after(new.sectionID($0)) } ?? .front
    }

    private func itemPosition(under owner: Handle, _ previous: Handle?) -> ItemPosition {
        let forest = new.forest
        let isSection = forest.parent(owner) == Forest.list
        let container = Container(
            section: new.sectionID(isSection ? owner : forest.section(owner)),
            parent: isSection ? nil : new.itemID(owner))
        return previous.map { .after(new.itemID($0), in: container) } ?? .front(of: container)
    }
}
