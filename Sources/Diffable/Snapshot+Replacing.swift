// Replaces everything under one owner by given items. An item that is in the list keeps its identity and gets another
// place, kind and content; items that are not named are deleted.

extension Snapshot {
    /// The state in which a section has exactly these items. O(m · log n) for m items that are inserted or deleted.
    ///
    /// A missing section is made at the end. Items in other places of the list are taken over. Throws `duplicateItem`
    /// for an id that is twice in `items`, `ownDescendant`, and what `limits` does not allow.
    public func replacingItems(
        inSection id: SectionID, with items: [Item], limits: SnapshotLimits = SnapshotLimits()
    ) throws(OperationError) -> Snapshot {
        let insertion = Insertion(known: nil, limits: limits)
        var snapshot = self
        if snapshot.handle(id) == nil { try snapshot.insert([Section(id: id)], at: .end, insertion) }
        try snapshot.replaceItems(under: try snapshot.known(id), with: items, insertion)
        return snapshot
    }

    mutating func replaceItems(
        under owner: Handle, with items: [Item], _ insertion: Insertion
    ) throws(OperationError) {
        let kept = try knownHandles(of: items, under: owner)
        // After all items that stay are taken out of their places, what is left under the owner and under them is
        // deleted.
        for handle in kept { forest.displace(handle) }
        for handle in kept { freeChildren(of: handle) }
        freeChildren(of: owner)
        try place(items, under: owner, level: forest.level(owner) + 1, insertion)
    }

    /// The given items that are in the list, at any depth.
    private func knownHandles(of items: [Item], under owner: Handle) throws(OperationError) -> [Handle] {
        var kept: [Handle] = []
        var seen: Set<ItemID> = []
        var cursor = ItemCursor(items)
        while let (record, _, _, _) = cursor.next() {
            guard seen.insert(ItemID(record: record)).inserted else { throw .duplicateItem(ItemID(record: record)) }
            guard let handle = itemHandle(record) else { continue }
            if handle == owner || forest.isAncestor(handle, of: owner) { throw .ownDescendant(ItemID(record: record)) }
            kept.append(handle)
        }
        return kept
    }

    private mutating func freeChildren(of owner: Handle) {
        forest.removeChildren(of: owner) { handle, record in itemIndex.remove(handle, hash: record.hash) }
    }

    private mutating func place(
        _ items: [Item], under owner: Handle, level: Int, _ insertion: Insertion
    ) throws(OperationError) {
        guard let first = items.first else { return }
        try insertion.checkLevel(level, of: first)
        var handles: [Handle] = []
        for item in items {
            let handle: Handle
            if let known = itemHandle(item.record) {
                handle = known
                forest.setRecord(item.record.sharing(forest.record(known)), of: known)
                if let isExpanded = item.isExpanded { forest.setExpanded(isExpanded, of: known) }
            } else {
                handle = try allocate(item, insertion)
            }
            handles.append(handle)
            try place(item.children, under: handle, level: level + 1, insertion)
        }
        forest.place(handles, under: owner, at: .end)
    }
}
