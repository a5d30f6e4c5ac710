// Most transactions are one small operation. What it did is what it says, so the difference need not be looked for: it
// is the operation itself in the form that a difference has.

extension Snapshot {
    /// `difference(from: old)`, where this state is what the operations made of the old one.
    ///
    /// O(log n) when they are one operation that brings items, or that deletes, changes, expands or collapses one.
    package func difference(from old: Snapshot, after operations: [Operation]) -> [Operation] {
        guard operations.count == 1, let known = knownDifference(from: old, after: operations[0]) else {
            return difference(from: old)
        }
        return known
    }

    /// Nil when it has to be looked for.
    private func knownDifference(from old: Snapshot, after operation: Operation) -> [Operation]? {
        switch operation {
        case .appendItems(let items, _), .insertItems(let items, _): insertion(of: items)
        case .deleteItems(let ids, _) where ids.count == 1: old.deletion(of: ids[0])
        case .reconfigureItems(let changes) where changes.count == 1: change(of: changes[0].id, since: old)
        case .patchItems(let patches) where patches.count == 1: change(of: patches[0].id, since: old)
        case .reloadItems(let reloads) where reloads.count == 1: change(of: reloads[0].id, since: old)
        case .expandItems(let ids) where ids.count == 1: change(of: ids[0], since: old)
        case .collapseItems(let ids) where ids.count == 1: change(of: ids[0], since: old)
        default: nil
        }
    }

    /// All of them are new, and stand beside each other.
    private func insertion(of items: [Item]) -> [Operation]? {
        guard let first = items.first else { return [] }
        guard let handle = handle(first.id) else { return nil }
        let container = container(forest.parent(handle))
        let position = forest.previousSibling(handle).map { ItemPosition.after(itemID($0), in: container) }
        return [.insertItems(items.map(\.canonical), at: position ?? .front(of: container))]
    }

    /// Of an item of this state; there may be none.
    private func deletion(of id: ItemID) -> [Operation] {
        handle(id).map { [.deleteItems([itemID($0)])] } ?? []
    }

    /// Of an item that is in both.
    private func change(of id: ItemID, since old: Snapshot) -> [Operation]? {
        guard let handle = handle(id), let oldHandle = old.handle(id) else { return nil }
        var slots = SlotReader(forest)
        var oldSlots = SlotReader(old.forest)
        guard let slot = slots[Int(handle)], let oldSlot = oldSlots[Int(oldHandle)] else { return nil }
        var contents = ContentDifference()
        contents.compare(oldSlot, slot)
        return contents.operations
    }
}

extension Item {
    /// As a difference says it: expansion is said, and what was not is collapsed.
    fileprivate var canonical: Item {
        Item(record: record, isExpanded: isExpanded ?? false, children: children.map(\.canonical))
    }
}
