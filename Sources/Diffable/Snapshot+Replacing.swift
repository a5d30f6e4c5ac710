// Replaces everything under one owner. Items that already exist in the list keep their identity and get the new
// position, kind and content. Items that are not given are deleted.

extension Snapshot {
    /// The state in which a section has exactly these items. O(m · log n) for m items that are inserted or deleted.
    ///
    /// A missing section is created at the end. Items from elsewhere in the list are moved. Throws `duplicateItem` for
    /// a duplicate id in `items`, `ownDescendant`, and errors for exceeded `limits`.
    public func replacingItems(
        inSection id: SectionID, with items: [Item], limits: SnapshotLimits = SnapshotLimits()
    ) throws(OperationError) -> Snapshot {
        let insertion = ApplyContext(known: nil, limits: limits)
        var snapshot = self
        if snapshot.handle(id) == nil { try snapshot.insert([Section(id: id)], at: .end, insertion) }
        try snapshot.replaceItems(under: try snapshot.requiredHandle(id), with: items, insertion)
        return snapshot
    }

    mutating func replaceItems(
        under owner: Handle, with items: [Item], _ insertion: ApplyContext
    ) throws(OperationError) {
        let kept = try knownHandles(of: items, under: owner)
        // After all items that stay are displaced, everything left under the owner and under these items is deleted.
        for handle in kept { forest.detach(handle) }
        for handle in kept { freeChildren(of: handle) }
        freeChildren(of: owner)
        try place(items, under: owner, level: forest.level(owner) + 1, insertion)
    }

    /// The given items that already exist in the list, at any depth.
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
        _ items: [Item], under owner: Handle, level: Int, _ insertion: ApplyContext
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
