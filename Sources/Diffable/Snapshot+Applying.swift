// What each operation does to a list, and what is refused. A snapshot that refused an operation is thrown away by the
// caller, so an operation may fail half-way; nobody sees the half.

extension Snapshot {
    /// The state after these operations, one after the other; all of them or none. O(log n) for each item they touch.
    ///
    /// Throws which operation is impossible and why.
    public func applying(
        _ operations: [Operation], limits: SnapshotLimits = SnapshotLimits()
    ) throws(TransactionError) -> Snapshot {
        try applying(operations, Insertion(known: nil, limits: limits))
    }

    /// The same, where an item that comes without its expansion said gets the one that it has in `known`. What is as
    /// it was there is shared.
    package func applying(
        _ operations: [Operation], expansionFrom known: Snapshot, limits: SnapshotLimits
    ) throws(TransactionError) -> Snapshot {
        try applying(operations, Insertion(known: known, limits: limits))
    }

    private func applying(_ operations: [Operation], _ insertion: Insertion) throws(TransactionError) -> Snapshot {
        var snapshot = self
        try snapshot.apply(operations, insertion)
        return snapshot
    }

    /// Applies the operations to this very snapshot, which shares nothing with a state before when nobody keeps one:
    /// then a step costs no copies. What is left when it throws is good for nothing.
    package mutating func apply(_ operations: [Operation], limits: SnapshotLimits) throws(TransactionError) {
        try apply(operations, Insertion(known: nil, limits: limits))
    }

    private mutating func apply(_ operations: [Operation], _ insertion: Insertion) throws(TransactionError) {
        var insertion = insertion
        for (index, operation) in operations.enumerated() {
            do throws(OperationError) {
                try apply(operation, &insertion)
            } catch {
                throw TransactionError(index: index, reason: error)
            }
        }
    }

    /// What an insertion needs to know beside the items.
    struct Insertion {
        /// Where expansion that is not said comes from.
        var known: Snapshot?
        var limits: SnapshotLimits
        /// Of content that patches have read, in bytes.
        var patchedLength = 0
    }

    mutating func apply(_ operation: Operation, _ insertion: inout Insertion) throws(OperationError) {
        switch operation {
        case .appendSections(let sections): try insert(sections, at: .end, insertion)
        case .insertSections(let sections, let position):
            let spot = try spot(of: position) { id in sections.contains { $0.record.hasSameID(as: id) } }
            try insert(sections, at: spot, insertion)
        case .deleteSections(let ids, let unknown): try delete(ids, unknown)
        case .moveSection(let id, let position): try move(id, to: position)
        case .reloadSections(let reloads): try reload(reloads)

        case .appendItems(let items, let container):
            try insert(items, under: owner(container), at: .end, insertion)
        case .insertItems(let items, let position):
            let (owner, spot) = try place(of: position, where: items.contains)
            try insert(items, under: owner, at: spot, insertion)
        case .deleteItems(let ids, let unknown): try delete(ids, unknown)
        case .deleteAllItems: self = Snapshot()
        case .moveItem(let id, let position): try move(id, to: position, insertion.limits)
        case .reconfigureItems(let changes): try reconfigure(changes)
        case .patchItems(let patches): try patch(patches, &insertion)
        case .reloadItems(let reloads): try reload(reloads)
        case .expandItems(let ids): for id in ids { forest.setExpanded(true, of: try known(id)) }
        case .collapseItems(let ids): for id in ids { forest.setExpanded(false, of: try known(id)) }
        case .replaceChildren(let parent, let items): try replaceItems(under: try known(parent), with: items, insertion)
        }
    }

    func known(_ id: ItemID) throws(OperationError) -> Handle {
        guard let handle = handle(id) else { throw .noSuchItem(id) }
        return handle
    }

    func known(_ id: SectionID) throws(OperationError) -> Handle {
        guard let handle = handle(id) else { throw .noSuchSection(id) }
        return handle
    }
}

// MARK: - Places

extension Snapshot {
    private func owner(_ container: Container) throws(OperationError) -> Handle {
        if let id = container.parent {
            let parent = try known(id)
            if let section = container.section, forest.section(parent) != (try known(section)) {
                throw .invalidItemAnchor(id)
            }
            return parent
        }
        if let section = container.section { return try known(section) }
        guard let last = forest.children(Forest.list)?.last else { throw .noSections }
        return last
    }

    /// Where an item position is. No item that comes to it can be its anchor.
    private func place(
        of position: ItemPosition, where isComing: (Record) -> Bool
    ) throws(OperationError) -> (owner: Handle, Spot) {
        switch position {
        case .front(let container): return (try owner(container), .front)
        case .end(let container): return (try owner(container), .end)
        case .before(let anchor, let container):
            let sibling = try sibling(anchor, in: container, where: isComing)
            return (forest.parent(sibling), .before(sibling))
        case .after(let anchor, let container):
            let sibling = try sibling(anchor, in: container, where: isComing)
            return (forest.parent(sibling), .after(sibling))
        }
    }

    private func sibling(
        _ anchor: ItemID, in container: Container?, where isComing: (Record) -> Bool
    ) throws(OperationError) -> Handle {
        if isComing(anchor.record) { throw .invalidItemAnchor(anchor) }
        let sibling = try known(anchor)
        if let container, try owner(container) != forest.parent(sibling) { throw .invalidItemAnchor(anchor) }
        return sibling
    }

    /// Where a section position is. No section that comes to it can be its anchor.
    private func spot(of position: SectionPosition, where isComing: (Record) -> Bool) throws(OperationError) -> Spot {
        switch position {
        case .front: return .front
        case .before(let anchor): return .before(try sibling(anchor, where: isComing))
        case .after(let anchor): return .after(try sibling(anchor, where: isComing))
        }
    }

    private func sibling(_ anchor: SectionID, where isComing: (Record) -> Bool) throws(OperationError) -> Handle {
        if isComing(anchor.record) { throw .invalidSectionAnchor(anchor) }
        return try known(anchor)
    }
}

extension [Item] {
    /// Whether an item with that id is among them, at any depth.
    fileprivate func contains(_ id: Record) -> Bool {
        contains { $0.record.hasSameID(as: id) || !$0.children.isEmpty && $0.children.contains(id) }
    }
}

// MARK: - Inserting

extension Snapshot {
    mutating func insert(_ sections: [Section], at spot: Spot, _ insertion: Insertion) throws(OperationError) {
        var handles: [Handle] = []
        handles.reserveCapacity(sections.count)
        for section in sections {
            guard sectionHandle(section.record) == nil else { throw .duplicateSection(section.id) }
            let known = insertion.known.flatMap { known in
                known.sectionHandle(section.record).map(known.forest.record)
            }
            let record = section.record.sharing(known)
            let handle = forest.allocate(record, isExpanded: false)
            sectionIndex.insert(handle, hash: record.hash)
            handles.append(handle)
            // The section has no place yet: its items are counted when it gets one.
            try insert(section.items, under: handle, at: .end, insertion, level: 0)
        }
        forest.place(handles, under: Forest.list, at: spot)
    }

    private mutating func insert(
        _ items: [Item], under owner: Handle, at spot: Spot, _ insertion: Insertion
    ) throws(OperationError) {
        try insert(items, under: owner, at: spot, insertion, level: forest.level(owner) + 1)
    }

    private mutating func insert(
        _ items: [Item], under owner: Handle, at spot: Spot, _ insertion: Insertion, level: Int
    ) throws(OperationError) {
        guard let first = items.first else { return }
        try insertion.checkLevel(level, of: first)
        if items.count == 1 {
            // What is done most: no array for the handle.
            forest.place(CollectionOfOne(try insert(first, insertion, level: level)), under: owner, at: spot)
            return
        }
        var handles: [Handle] = []
        handles.reserveCapacity(items.count)
        for item in items { handles.append(try insert(item, insertion, level: level)) }
        forest.place(handles, under: owner, at: spot)
    }

    /// An item with its children, which has no place yet.
    private mutating func insert(_ item: Item, _ insertion: Insertion, level: Int) throws(OperationError) -> Handle {
        guard itemHandle(item.record) == nil else { throw .duplicateItem(item.id) }
        let handle = try allocate(item, insertion)
        if !item.children.isEmpty {
            try insert(item.children, under: handle, at: .end, insertion, level: level + 1)
        }
        return handle
    }

    /// A handle for an item that is new to the list. It shares the record that the known state has, when nothing in it
    /// changed.
    mutating func allocate(_ item: Item, _ insertion: Insertion) throws(OperationError) -> Handle {
        guard itemIndex.count < insertion.limits.itemsMax else { throw .tooManyItems(max: insertion.limits.itemsMax) }
        let slot = insertion.known.flatMap { known in known.itemHandle(item.record).map { known.forest.slots[$0] } }
        let record = item.record.sharing(slot?.record)
        let handle = forest.allocate(record, isExpanded: item.isExpanded ?? slot?.isExpanded ?? false)
        itemIndex.insert(handle, hash: record.hash)
        return handle
    }
}

extension Snapshot.Insertion {
    func checkLevel(_ level: Int, of item: Item) throws(OperationError) {
        guard level < limits.levelsMax else { throw .tooManyLevels(item.id, max: limits.levelsMax) }
    }
}

// MARK: - Deleting

extension Snapshot {
    private mutating func delete(_ ids: [SectionID], _ unknown: Operation.Unknown) throws(OperationError) {
        for handle in try known(ids, unknown, known) { delete(handle) }
    }

    private mutating func delete(_ ids: [ItemID], _ unknown: Operation.Unknown) throws(OperationError) {
        // What is done most: no array for the handle.
        if ids.count == 1, let handle = handle(ids[0]) { return delete(handle) }
        for handle in try known(ids, unknown, known) { delete(handle) }
    }

    /// All ids are looked up before the first deletion, so that a parent may be named together with its child.
    private func known<ID>(
        _ ids: [ID], _ unknown: Operation.Unknown, _ known: (ID) throws(OperationError) -> Handle
    ) throws(OperationError) -> [Handle] {
        var handles: [Handle] = []
        for id in ids {
            do throws(OperationError) {
                handles.append(try known(id))
            } catch {
                if case .isError = unknown { throw error }
            }
        }
        return handles
    }

    private mutating func delete(_ handle: Handle) {
        // It may have gone with a parent that was named before it.
        guard forest.slots.hasRecord(handle) else { return }
        forest.displace(handle)
        let isSection = forest.parent(handle) == Forest.list
        forest.free(handle) { freed, record in
            if isSection && freed == handle {
                sectionIndex.remove(freed, hash: record.hash)
            } else {
                itemIndex.remove(freed, hash: record.hash)
            }
        }
    }
}

// MARK: - Moving

extension Snapshot {
    private mutating func move(_ id: SectionID, to position: SectionPosition) throws(OperationError) {
        let handle = try known(id)
        let spot = try spot(of: position) { $0.hasSameID(as: id.record) }
        // At the front of what is left when it has gone, and there may be nothing.
        forest.move(handle, under: Forest.list, at: spot)
    }

    private mutating func move(_ id: ItemID, to position: ItemPosition, _ limits: SnapshotLimits) throws(OperationError)
    {
        let handle = try known(id)
        let (owner, spot) = try place(of: position) { $0.hasSameID(as: id.record) }
        if owner == handle || forest.isAncestor(handle, of: owner) { throw .ownDescendant(id) }
        let level = forest.level(owner) + 1
        if level > forest.level(handle), forest.isDeeper(handle, than: limits.levelsMax - level) {
            throw .tooManyLevels(id, max: limits.levelsMax)
        }
        forest.move(handle, under: owner, at: spot)
    }
}

// MARK: - Contents

extension Snapshot {
    private mutating func reload(_ reloads: [SectionReload]) throws(OperationError) {
        for reload in reloads {
            let handle = try known(reload.id)
            let record = forest.record(handle)
            forest.setRecord(record.replacing(content: reload.content) { $0.reloads &+= 1 }, of: handle)
        }
    }

    private mutating func reconfigure(_ changes: [ItemReconfiguration]) throws(OperationError) {
        for change in changes {
            let handle = try known(change.id)
            let record = forest.record(handle)
            forest.setRecord(record.replacing(content: change.content) { $0.reconfigurations &+= 1 }, of: handle)
        }
    }

    private mutating func patch(_ patches: [ItemPatch], _ insertion: inout Insertion) throws(OperationError) {
        for patch in patches {
            let handle = try known(patch.id)
            let record = forest.record(handle)
            insertion.patchedLength += record.content?.bytes.count ?? 0
            let max = insertion.limits.patchedLengthMax
            guard insertion.patchedLength <= max else { throw .tooMuchPatched(max: max) }
            let content = try patch.patch(record.content)
            forest.setRecord(record.replacing(content: .some(content)) { $0.reconfigurations &+= 1 }, of: handle)
        }
    }

    private mutating func reload(_ reloads: [ItemReload]) throws(OperationError) {
        for reload in reloads {
            let handle = try known(reload.id)
            let record = forest.record(handle)
            // A new kind is a reload of its own accord; without one, clients are asked for it.
            let isNewKind = reload.kind.map { $0 != record.kind } ?? false
            var redraws = record.redraws
            if !isNewKind { redraws.reloads &+= 1 }
            forest.setRecord(
                record.replacing(kind: reload.kind, content: reload.content, redraws: redraws), of: handle)
        }
    }
}

extension Record {
    /// Replaces the content, or counts one more request to draw again when there is none.
    fileprivate func replacing(content: Content??, orCounting count: (inout Redraws) -> Void) -> Record {
        if content != nil { return replacing(kind: nil, content: content) }
        var redraws = self.redraws
        count(&redraws)
        return replacing(kind: nil, content: nil, redraws: redraws)
    }
}
