// What leads from one snapshot to another, as few operations as can be.
//
// 1. Contents. The slots of the two forests that are not shared are walked; what has the same id on both sides and
//    another kind, content or expansion is noted.
// 2. Order. For each owner whose tree of children is not shared, the children are aligned (`SiblingAlignment`): the
//    heaviest increasing subsequence of those it had before stays, the others are placed, and who has gone is noted.
// 3. Operations. Placements are written in document order, so that each names a neighbour that is in place already
//    (`PlacementWriter`); then what was deleted; then kinds, contents and expansion.
//
// Related snapshots share what did not change, so d changes cost O(d · log n); unrelated ones cost O(n · log n).

extension Snapshot {
    /// The operations that lead from an old state to this one, in the canonical form of the protocol.
    ///
    /// `old.applying(new.difference(from: old)) == new`. As many items and sections as possible stay where they are:
    /// those that move are the survivors less a longest increasing subsequence among each owner's children. Costs
    /// O(d · log n) for d changes when one state came from the other by operations, O(n · log n) at worst.
    public func difference(from old: Snapshot) -> [Operation] {
        var contents = ContentDifference()
        let matching = SnapshotMatching(old: old, new: self) { contents.compare($0, $1) }
        let order = OrderDifference(matching)
        return PlacementWriter.operations(order, matching) + order.deletions(matching) + contents.operations
    }
}

extension Snapshot {
    /// This state, in the storage of an old one that a small difference leads from: then both together take little
    /// more memory than one, and the next difference between them is fast. O(d · log n).
    package func sharing(with old: Snapshot, by difference: [Operation]) -> Snapshot {
        let summary = DifferenceSummary(difference, from: old, to: self)
        // Past this, editing the old one costs more than having the new one as it is.
        guard summary.placedItems < numberOfItems / 4 else { return self }
        do {
            return try old.applying(difference, limits: .none)
        } catch {
            preconditionFailure("a difference leads from the old state to the new one, and not to \(error)")
        }
    }
}

extension Snapshot {
    /// The children of a section or an item, as pushed operations name them.
    func container(_ owner: Handle) -> Container {
        let isSection = forest.parent(owner) == Forest.list
        return Container(
            section: sectionID(isSection ? owner : forest.section(owner)), parent: isSection ? nil : itemID(owner))
    }
}

/// Kinds, contents and expansion of what is in both snapshots.
struct ContentDifference {
    private var sectionReloads: [SectionReload] = []
    private var reloads: [ItemReload] = []
    private var reconfigurations: [ItemReconfiguration] = []
    private var expanded: [ItemID] = []
    private var collapsed: [ItemID] = []

    mutating func compare(_ old: BorrowedSlot, _ new: BorrowedSlot) {
        let record = new.record.record
        if new.isSection {
            compareSections(old.record.record, record)
        } else {
            compareItems(old.record.record, record)
            if old.isExpanded != new.isExpanded {
                if new.isExpanded {
                    expanded.append(ItemID(record: record))
                } else {
                    collapsed.append(ItemID(record: record))
                }
            }
        }
    }

    private mutating func compareSections(_ old: Record, _ new: Record) {
        if !old.hasSameContent(as: new) {
            sectionReloads.append(SectionReload(id: SectionID(record: new), content: .some(new.content)))
        } else if old.redraws != new.redraws {
            sectionReloads.append(SectionReload(id: SectionID(record: new)))
        }
    }

    private mutating func compareItems(_ old: Record, _ new: Record) {
        let id = ItemID(record: new)
        let hasSameContent = old.hasSameContent(as: new)
        if !old.hasSameKind(as: new) {
            reloads.append(ItemReload(id: id, kind: .some(new.kind), content: .some(new.content)))
        } else if old.redraws.reloads != new.redraws.reloads {
            reloads.append(
                hasSameContent
                    ? ItemReload(id: id) : ItemReload(id: id, kind: .some(new.kind), content: .some(new.content)))
        } else if !hasSameContent {
            reconfigurations.append(ItemReconfiguration(id: id, content: .some(new.content)))
        } else if old.redraws.reconfigurations != new.redraws.reconfigurations {
            reconfigurations.append(ItemReconfiguration(id: id))
        }
    }

    var operations: [Operation] {
        var operations: [Operation] = []
        if !sectionReloads.isEmpty { operations.append(.reloadSections(sectionReloads)) }
        if !reloads.isEmpty { operations.append(.reloadItems(reloads)) }
        if !reconfigurations.isEmpty { operations.append(.reconfigureItems(reconfigurations)) }
        if !expanded.isEmpty { operations.append(.expandItems(expanded)) }
        if !collapsed.isEmpty { operations.append(.collapseItems(collapsed)) }
        return operations
    }
}

/// Who is placed under which owner, and who has gone.
struct OrderDifference {
    /// For owners that were there before, by their new handles: in the new order of their children.
    private(set) var placements: [(owner: Handle, placements: [SiblingAlignment.Placement])] = []
    /// By the old handle of an owner that is still there: the children that left it, in the old order.
    private var departures: [(owner: Handle, handles: [Handle])] = []

    init(_ matching: SnapshotMatching) {
        var owners: [Handle] = []
        var oldOwners: [Handle] = []
        matching.new.forest.trees.forEachUnsharedPage(from: matching.old.forest.trees) { start, oldPage, page in
            for position in 0..<SiblingTree?.pageCount {
                let isOld = oldPage?[position] != nil
                let isNew = page?[position] != nil
                if isOld, isNew, let oldTree = oldPage?[position], let tree = page?[position],
                    tree.isShared(with: oldTree)
                {
                    // The same children; and the same owner, for a handle that is freed loses its tree.
                    continue
                }
                if isNew { owners.append(Handle(start + position)) }
                if isOld { oldOwners.append(Handle(start + position)) }
            }
        }
        for owner in owners {
            guard let old = matching.oldHandle(owner) else { continue }
            align(old, owner, matching)
        }
        // An owner that lost all its children has no tree any more.
        for old in oldOwners {
            guard let owner = newHandle(ofOld: old, matching), matching.new.forest.children(owner) == nil else {
                continue
            }
            align(old, owner, matching)
        }
    }

    private mutating func align(_ old: Handle, _ owner: Handle, _ matching: SnapshotMatching) {
        let alignment = SiblingAlignment(
            old: matching.old.forest.children(old), new: matching.new.forest.children(owner), matching)
        if !alignment.placements.isEmpty { placements.append((owner, alignment.placements)) }
        if !alignment.departures.isEmpty { departures.append((old, alignment.departures)) }
    }

    private func newHandle(ofOld handle: Handle, _ matching: SnapshotMatching) -> Handle? {
        // Mostly the handle is still its own, and then it was no other's.
        if matching.new.forest.children(handle) != nil, matching.oldHandle(handle) == handle { return handle }
        let slot = matching.old.forest.slots[handle]
        guard let record = slot.record else { return handle == Forest.list ? Forest.list : nil }
        return slot.parent == Forest.list ? matching.new.sectionHandle(record) : matching.new.itemHandle(record)
    }

    /// Deletions, owner by owner in the old document order. What goes with its section or its parent is not named.
    func deletions(_ matching: SnapshotMatching) -> [Operation] {
        let forest = matching.old.forest
        var departures = departures
        if departures.count > 1 {
            departures = departures.map { ($0, forest.documentOffset($0.owner)) }.sorted { $0.1 < $1.1 }.map(\.0)
        }
        var sections: [SectionID] = []
        var items: [ItemID] = []
        for (owner, handles) in departures {
            for handle in handles {
                let record = forest.record(handle)
                if owner == Forest.list {
                    if matching.new.sectionHandle(record) == nil { sections.append(SectionID(record: record)) }
                } else if matching.new.itemHandle(record) == nil {
                    items.append(ItemID(record: record))
                }
            }
        }
        var operations: [Operation] = []
        if !items.isEmpty { operations.append(.deleteItems(items)) }
        if !sections.isEmpty { operations.append(.deleteSections(sections)) }
        return operations
    }
}

extension Forest {
    /// Orders handles as a reader of the whole document meets them.
    func documentOffset(_ handle: Handle) -> Int {
        var offset = 0
        var handle = handle
        while handle != Forest.list {
            offset += siblingOffset(handle) + 1
            handle = parent(handle)
        }
        return offset
    }
}
