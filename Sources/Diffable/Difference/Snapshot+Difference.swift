// The diff of two snapshots, with as few operations as possible.
//
// 1. Contents. Visits the slot pages that the two forests do not share, and finds sections and items that exist in both
// with a different kind, content or expansion.
// 2. Order. Aligns the children of each owner whose tree is not shared (`SiblingAlignment`): the heaviest increasing
// subsequence of its previous children stays, the others are placed, and departures are recorded.
// 3. Operations. The list's own content is first. Placements follow in document order, so that each names a
// neighbour that is already in place (`PlacementWriter`); then deletions; then kinds, contents and expansion.
//
// Related snapshots share unchanged parts, so d changes cost O(d · log n). Unrelated ones cost O(n · log n).

extension Snapshot {
    /// The operations that lead from an old state to this one, in the protocol's canonical form.
    ///
    /// `old.applying(new.difference(from: old)) == new`. As many items and sections as possible stay in place: the ones
    /// that move are the remaining children of each owner except for a longest increasing subsequence. Costs O(d · log
    /// n) for d changes if one state was derived from the other by operations, O(n · log n) at worst.
    public func difference(from old: Snapshot) -> [ListOperation] {
        var contents = ContentDifference(from: old, to: self)
        let matching = SnapshotMatching(old: old, new: self) { contents.compare($0, $1) }
        let order = OrderDifference(matching)
        let operations =
            PlacementWriter.operations(order, matching) + order.deletions(matching) + contents.operations
        guard let change = contentChange(from: old) else { return operations }
        return [change] + operations
    }
}

extension Snapshot {
    /// The same state in the storage of an old one, if the diff between them is small. Both together then take little
    /// more memory than one, and their next diff is fast. O(d · log n).
    package func sharing(with old: Snapshot, by difference: [ListOperation]) -> Snapshot {
        let summary = DifferenceSummary(difference, from: old, to: self)
        // A larger diff costs more to apply than it saves.
        guard summary.placedItems < numberOfItems / 4 else { return self }
        do {
            return try old.applying(difference, limits: .none)
        } catch {
            preconditionFailure("a difference leads from the old state to the new one, and not to \(error)")
        }
    }
}

extension Snapshot {
    /// The container of a section's or an item's children, as operations for subscribers name it.
    func container(_ owner: Handle) -> Container {
        let isSection = forest.parent(owner) == Forest.list
        return Container(
            section: sectionID(isSection ? owner : forest.section(owner)), parent: isSection ? nil : itemID(owner))
    }
}

/// The changes of kind, content and expansion of everything that exists in both snapshots.
struct ContentDifference {
    /// The number of redraw requests in the earlier of the two states. Requests with a higher number belong to the
    /// diff, even to one that leads back. So its result has the marks of the state it leads to.
    private let redrawsTold: UInt64
    private var sectionReloads: [SectionReload] = []
    private var reloads: [ItemReload] = []
    private var reconfigurations: [ItemReconfiguration] = []
    private var expanded: [ItemID] = []
    private var collapsed: [ItemID] = []
    private var folded: [ItemID] = []
    private var unfolded: [ItemID] = []

    init(from old: Snapshot, to new: Snapshot) { redrawsTold = min(old.redrawsAsked, new.redrawsAsked) }

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
            if old.isFolded != new.isFolded {
                if new.isFolded {
                    folded.append(ItemID(record: record))
                } else {
                    unfolded.append(ItemID(record: record))
                }
            }
        }
    }

    private mutating func compareSections(_ old: Record, _ new: Record) {
        if !old.hasSameContent(as: new) {
            sectionReloads.append(SectionReload(id: SectionID(record: new), content: .some(new.content)))
        } else if max(old.redraws.reload, new.redraws.reload) > redrawsTold {
            sectionReloads.append(SectionReload(id: SectionID(record: new)))
        }
    }

    private mutating func compareItems(_ old: Record, _ new: Record) {
        let id = ItemID(record: new)
        let hasSameContent = old.hasSameContent(as: new)
        if !old.hasSameKind(as: new) {
            reloads.append(ItemReload(id: id, kind: .some(new.kind), content: .some(new.content)))
        } else if max(old.redraws.reload, new.redraws.reload) > redrawsTold {
            reloads.append(
                hasSameContent
                    ? ItemReload(id: id) : ItemReload(id: id, kind: .some(new.kind), content: .some(new.content)))
        } else if !hasSameContent {
            reconfigurations.append(ItemReconfiguration(id: id, content: .some(new.content)))
        } else if max(old.redraws.reconfiguration, new.redraws.reconfiguration) > redrawsTold {
            reconfigurations.append(ItemReconfiguration(id: id))
        }
    }

    var operations: [ListOperation] {
        var operations: [ListOperation] = []
        if !sectionReloads.isEmpty { operations.append(.reloadSections(sectionReloads)) }
        if !reloads.isEmpty { operations.append(.reloadItems(reloads)) }
        if !reconfigurations.isEmpty { operations.append(.reconfigureItems(reconfigurations)) }
        if !expanded.isEmpty { operations.append(.expandItems(expanded)) }
        if !collapsed.isEmpty { operations.append(.collapseItems(collapsed)) }
        if !folded.isEmpty { operations.append(.foldItems(folded)) }
        if !unfolded.isEmpty { operations.append(.unfoldItems(unfolded)) }
        return operations
    }
}

/// The placements under each owner, and the children that left it.
struct OrderDifference {
    /// The placements of owners that existed before, by the owner's new handle, in the new order of the children.
    private(set) var placements: [(owner: Handle, placements: [SiblingAlignment.Placement])] = []
    /// The children that left an owner that still exists, by its old handle, in the old order.
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
                    // The children are the same, and so is the owner, because a freed handle loses its tree.
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
        // An owner that lost all its children has no tree any more, so it is not among `owners`.
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
        // In most cases the owner still has the same handle.
        if matching.new.forest.children(handle) != nil, matching.oldHandle(handle) == handle { return handle }
        if handle == Forest.list { return Forest.list }
        let slot = matching.old.forest.slots[handle]
        guard let record = slot.record else { return nil }
        return slot.parent == Forest.list ? matching.new.sectionHandle(record) : matching.new.itemHandle(record)
    }

    /// The deletions, owner by owner, in the old document order. Omits items that are deleted with their section or parent.
    func deletions(_ matching: SnapshotMatching) -> [ListOperation] {
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
        var operations: [ListOperation] = []
        if !items.isEmpty { operations.append(.deleteItems(items)) }
        if !sections.isEmpty { operations.append(.deleteSections(sections)) }
        return operations
    }
}

extension Forest {
    /// The number of handles before this one in document order.
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
