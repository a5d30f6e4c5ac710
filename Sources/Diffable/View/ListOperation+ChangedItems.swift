extension [ListOperation] {
    /// Calls `body` with the items that a diff between two states changes, in their old and new forms: inserted,
    /// deleted and moved items with all their descendants, and changed items. A selection that looks at each item by
    /// itself shows all other items as before.
    ///
    /// - Parameters:
    ///   - max: the number of items at most.
    ///   - parent: called for items with children if their own content or expansion changes.
    /// - Returns: False if the diff changes more items, or sections, or the list itself. `body` may have been called with
    ///   some items.
    package func forEachChangedItem(
        from old: Snapshot, to new: Snapshot, max: Int, _ body: (Item) -> Void, parent: (ItemID) -> Void
    ) -> Bool {
        var visitor = ChangedItemVisitor(old: old, new: new, left: max)
        return allSatisfy { visitor.visit($0, body, parent) }
    }
}

private struct ChangedItemVisitor {
    let old: Snapshot
    let new: Snapshot
    /// The number of items that may still be visited.
    var left: Int

    mutating func visit(_ operation: ListOperation, _ body: (Item) -> Void, _ parent: (ItemID) -> Void) -> Bool {
        switch operation {
        case .reconfigureItems(let changes): return changes.allSatisfy { visit($0.id, body, parent) }
        case .reloadItems(let reloads): return reloads.allSatisfy { visit($0.id, body, parent) }
        case .expandItems(let ids), .collapseItems(let ids), .foldItems(let ids), .unfoldItems(let ids):
            return ids.allSatisfy { visit($0, body, parent) }
        case .deleteItems(let ids, _): return ids.allSatisfy { visit(allUnder: $0, body) }
        case .insertItems(let items, _): return items.allSatisfy { visit(allUnder: $0.id, body) }
        case .moveItem(let id, _): return visit(allUnder: id, body)
        default: return false
        }
    }

    private mutating func visit(_ id: ItemID, _ body: (Item) -> Void, _ parent: (ItemID) -> Void) -> Bool {
        left -= 1
        if left < 0 { return false }
        let before = old.handle(id)
        let former = before.map(old.forest.record)
        if let former { body(Item(record: former)) }
        if let record = new.handle(id).map(new.forest.record), former.map(record.isShared) != true {
            body(Item(record: record))
        }
        if let before, old.forest.children(before) != nil { parent(id) }
        return true
    }

    /// Visits an item and its descendants, in their old and new places.
    private mutating func visit(allUnder id: ItemID, _ body: (Item) -> Void) -> Bool {
        if let handle = old.handle(id), !visit(allUnder: handle, in: old, body) { return false }
        guard let handle = new.handle(id) else { return true }
        return visit(allUnder: handle, in: new, body)
    }

    private mutating func visit(allUnder handle: Handle, in list: Snapshot, _ body: (Item) -> Void) -> Bool {
        left -= list.forest.weight(handle)
        if left < 0 { return false }
        visitAll(handle, in: list, body)
        return true
    }

    private func visitAll(_ handle: Handle, in list: Snapshot, _ body: (Item) -> Void) {
        body(Item(record: list.forest.record(handle)))
        list.forest.children(handle)?.forEach { visitAll($0, in: list, body) }
    }
}
