/// Writes placements as operations in the new document order: sections before their items, parents before their children.
///
/// Each operation names the sibling before the new position. That sibling is already in place: it stayed, or an earlier
/// operation moved it there. The same is true for all ancestors, so nothing is ever moved under itself.
struct PlacementWriter {
    /// An owner with placements under it, or an ancestor of one.
    private struct OwnerPlacements {
        var placements: [SiblingAlignment.Placement] = []
        var branches: [Handle] = []

        /// The children that stay and have placements under them, in order.
        func indexedBranches(in forest: Forest) -> [(handle: Handle, index: Int)] {
            guard !branches.isEmpty else { return [] }
            let placed = Set(placements.lazy.map(\.handle))
            return branches.filter { !placed.contains($0) }
                .map { ($0, forest.siblingIndex($0)) }
                .sorted { $0.index < $1.index }
        }
    }

    private let matching: SnapshotMatching
    private let forest: Forest
    private var slots: SlotReader
    private var owners: [OwnerPlacements] = []
    /// The indexes in `owners`.
    private var numbers: HandleMap
    private var operations: [ListOperation] = []
    /// Adjacent elements that one operation inserts.
    private var run: [Handle] = []
    private var runPrevious: Handle?

    static func operations(_ order: OrderDifference, _ matching: SnapshotMatching) -> [ListOperation] {
        guard let first = order.placements.first else { return [] }
        var writer = PlacementWriter(order, matching)
        // A single owner needs no path from the list.
        writer.write(under: order.placements.count == 1 ? first.owner : Forest.list)
        return writer.operations
    }

    private init(_ order: OrderDifference, _ matching: SnapshotMatching) {
        self.matching = matching
        forest = matching.new.forest
        slots = SlotReader(forest)
        numbers = HandleMap(count: order.placements.count, bound: matching.new.forest.handleBound)
        operations.reserveCapacity(order.placements.reduce(0) { $0 + $1.placements.count })
        for (owner, placements) in order.placements {
            numbers[owner] = UInt32(owners.count)
            owners.append(OwnerPlacements(placements: placements))
        }
        if order.placements.count > 1 {
            for (owner, _) in order.placements { addBranches(to: owner) }
        }
    }

    private mutating func addBranches(to owner: Handle) {
        var handle = owner
        while handle != Forest.list {
            let parent = forest.parent(handle)
            if let number = numbers[parent] {
                owners[Int(number)].branches.append(handle)
                return
            }
            numbers[parent] = UInt32(owners.count)
            owners.append(OwnerPlacements(branches: [handle]))
            handle = parent
        }
    }

    // MARK: Owners that were there before

    private static let fetchedMax = 16

    private mutating func write(under owner: Handle) {
        guard let number = numbers[owner] else { return }
        let placements = owners[Int(number)].placements
        var branches = owners[Int(number)].indexedBranches(in: forest)[...]
        let container = owner == Forest.list ? nil : matching.new.container(owner)
        var previousIndex: UInt32?
        for (position, placement) in placements.enumerated() {
            if position % Self.fetchedMax == 0, placements.count > 1 {
                slots.fetchRecords(of: placements[position...].prefix(Self.fetchedMax).lazy.map(\.handle))
            }
            while let branch = branches.first, branch.index < placement.index {
                finishRun(in: container)
                write(under: branch.handle)
                branches.removeFirst()
            }
            if placement.isInserted {
                if let previousIndex, previousIndex + 1 != placement.index { finishRun(in: container) }
                if run.isEmpty { runPrevious = placement.previous }
                run.append(placement.handle)
            } else {
                if !run.isEmpty { finishRun(in: container) }
                move(placement.handle, to: container, after: placement.previous)
                if owners.count > 1 { write(under: placement.handle) }
            }
            previousIndex = placement.index
        }
        finishRun(in: container)
        for branch in branches { write(under: branch.handle) }
    }

    /// Without a container, moves a section.
    private mutating func move(_ handle: Handle, to container: Container?, after previous: Handle?) {
        if let container {
            let id = itemID(handle)
            if let previous {
                operations.append(.moveItem(id, to: .after(itemID(previous), in: container)))
            } else {
                operations.append(.moveItem(id, to: .front(of: container)))
            }
        } else {
            operations.append(.moveSection(sectionID(handle), to: sectionPosition(previous)))
        }
    }

    // MARK: What is new

    private mutating func finishRun(in container: Container?) {
        guard !run.isEmpty else { return }
        let handles = run
        run = []
        var moved: [Handle] = []
        if let container {
            let items = handles.map { newItem($0, &moved) }
            operations.append(.insertItems(items, at: itemPosition(in: container, runPrevious)))
        } else {
            let sections = handles.map { handle in
                Section(record: slots.record(handle), items: newItems(under: handle, &moved))
            }
            operations.append(.insertSections(sections, at: sectionPosition(runPrevious)))
        }
        // Items that existed elsewhere are moved in after the new items have been inserted.
        for handle in moved {
            move(handle, to: matching.new.container(forest.parent(handle)), after: forest.previousSibling(handle))
            write(under: handle)
        }
    }

    private mutating func newItem(_ handle: Handle, _ moved: inout [Handle]) -> Item {
        Item(
            record: slots.record(handle), isExpanded: forest.isExpanded(handle), isFolded: forest.isFolded(handle),
            children: newItems(under: handle, &moved))
    }

    /// Returns the children that are new too, and appends the others to `moved` in document order.
    private mutating func newItems(under owner: Handle, _ moved: inout [Handle]) -> [Item] {
        guard let tree = forest.children(owner) else { return [] }
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

    private mutating func sectionPosition(_ previous: Handle?) -> SectionPosition {
        guard let previous else { return .front }
        return .after(sectionID(previous))
    }

    private mutating func itemPosition(in container: Container, _ previous: Handle?) -> ItemPosition {
        guard let previous else { return .front(of: container) }
        return .after(itemID(previous), in: container)
    }

    private mutating func itemID(_ handle: Handle) -> ItemID { ItemID(record: slots.record(handle)) }

    private mutating func sectionID(_ handle: Handle) -> SectionID { SectionID(record: slots.record(handle)) }
}
