// Most transactions are one small operation, and their difference is that operation in canonical form. So it need not
// be searched for.

extension Snapshot {
    /// `difference(from: old)` when these operations led from the old state to this one.
    ///
    /// O(log n) for one operation that inserts items, or that deletes, changes, expands or collapses one.
    package func difference(from old: Snapshot, after operations: [ListOperation]) -> [ListOperation] {
        guard operations.count == 1, let known = knownDifference(from: old, after: operations[0]) else {
            return difference(from: old)
        }
        return known
    }

    /// Nil when the difference must be searched for.
    private func knownDifference(from old: Snapshot, after operation: ListOperation) -> [ListOperation]? {
        switch operation {
        case .reconfigureList, .patchList: contentChange(from: old).map { [$0] } ?? []
        case .appendItems(let items, _), .insertItems(let items, _):
            // The first items of a list may have made a section.
            numberOfSections == old.numberOfSections ? insertion(of: items) : nil
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
    private func insertion(of items: [Item]) -> [ListOperation]? {
        guard let first = items.first else { return [] }
        guard let handle = handle(first.id) else { return nil }
        let container = container(forest.parent(handle))
        let position = forest.previousSibling(handle).map { ItemPosition.after(itemID($0), in: container) }
        return [.insertItems(items.map(\.canonical), at: position ?? .front(of: container))]
    }

    /// Of an item of this state; there may be none.
    private func deletion(of id: ItemID) -> [ListOperation] {
        handle(id).map { [.deleteItems([itemID($0)])] } ?? []
    }

    /// Of an item that is in both.
    private func change(of id: ItemID, since old: Snapshot) -> [ListOperation]? {
        guard let handle = handle(id), let oldHandle = old.handle(id) else { return nil }
        var slots = SlotReader(forest)
        var oldSlots = SlotReader(old.forest)
        guard let slot = slots[Int(handle)], let oldSlot = oldSlots[Int(oldHandle)] else { return nil }
        var contents = ContentDifference(from: old, to: self)
        contents.compare(oldSlot, slot)
        return contents.operations
    }
}

extension Item {
    /// As in a difference: expansion is always given, and collapsed by default.
    fileprivate var canonical: Item {
        Item(record: record, isExpanded: isExpanded ?? false, isFolded: isFolded, children: children.map(\.canonical))
    }
}
