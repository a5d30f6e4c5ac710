// The effects and errors of operations. An operation may fail half-way, because the caller discards the snapshot then.

extension Snapshot {
    /// The state after these operations, in order; all of them or none. O(log n) for each item they touch.
    ///
    /// Throws a `TransactionError` with the operation that is impossible, and the reason. Exceeding `limits` is an error too.
    public func applying(
        _ operations: [ListOperation], limits: SnapshotLimits = SnapshotLimits()
    ) throws(TransactionError) -> Snapshot {
        try applying(operations, ApplyContext(known: nil, limits: limits))
    }

    /// The state after these operations. An item without a given expansion gets the one that it has in `known`, and
    /// unchanged parts are shared with `known`.
    package func applying(
        _ operations: [ListOperation], expansionFrom known: Snapshot, limits: SnapshotLimits
    ) throws(TransactionError) -> Snapshot {
        try applying(operations, ApplyContext(known: known, limits: limits))
    }

    private func applying(_ operations: [ListOperation], _ insertion: ApplyContext) throws(TransactionError) -> Snapshot
    {
        var snapshot = insertion.known.map { restored(after: $0) } ?? self
        try snapshot.apply(operations, insertion)
        return snapshot
    }

    /// Applies the operations in place. Copies nothing if no earlier state is retained. An error makes the snapshot unusable.
    package mutating func apply(_ operations: [ListOperation], limits: SnapshotLimits) throws(TransactionError) {
        try apply(operations, ApplyContext(known: nil, limits: limits))
    }

    private mutating func apply(_ operations: [ListOperation], _ insertion: ApplyContext) throws(TransactionError) {
        var insertion = insertion
        for (index, operation) in operations.enumerated() {
            do throws(OperationError) {
                try apply(operation, &insertion)
            } catch {
                throw TransactionError(index: index, reason: error)
            }
        }
    }

    struct ApplyContext {
        /// The source of unspecified expansion.
        var known: Snapshot?
        var limits: SnapshotLimits
        /// The content that patches have read so far, in bytes.
        var patchedLength = 0
    }

    mutating func apply(_ operation: ListOperation, _ insertion: inout ApplyContext) throws(OperationError) {
        switch operation {
        case .reconfigureList(let content): setContent(content)
        case .patchList(let patch): try self.patch(patch, &insertion)

        case .appendSections(let sections): try insert(sections, at: .end, insertion)
        case .insertSections(let sections, let position):
            let spot = try spot(of: position, .isInserted) { id in sections.contains { $0.record.hasSameID(as: id) } }
            try insert(sections, at: spot, insertion)
        case .deleteSections(let ids, let unknown): try delete(ids, unknown)
        case .moveSection(let id, let position): try move(id, to: position)
        case .reloadSections(let reloads): try reload(reloads)

        case .appendItems(let items, let container):
            let owner = try owner(container, of: items, insertion)
            try insert(items, under: owner, at: .end, insertion)
        case .insertItems(let items, let position):
            let (owner, spot) = try place(of: position, .isInserted, items, insertion, where: items.contains)
            try insert(items, under: owner, at: spot, insertion)
        case .deleteItems(let ids, let unknown): try delete(ids, unknown)
        case .deleteAllItems: deleteAll()
        case .moveItem(let id, let position): try move(id, to: position, insertion)
        case .reconfigureItems(let changes): try reconfigure(changes)
        case .patchItems(let patches): try patch(patches, &insertion)
        case .reloadItems(let reloads): try reload(reloads)
        case .expandItems(let ids): for id in ids { forest.setExpanded(true, of: try requiredHandle(id)) }
        case .collapseItems(let ids): for id in ids { forest.setExpanded(false, of: try requiredHandle(id)) }
        case .foldItems(let ids): for id in ids { forest.setFolded(true, of: try requiredHandle(id)) }
        case .unfoldItems(let ids): for id in ids { forest.setFolded(false, of: try requiredHandle(id)) }
        case .replaceChildren(let parent, let items):
            try replaceItems(under: try requiredHandle(parent), with: items, insertion)
        }
    }

    func requiredHandle(_ id: ItemID) throws(OperationError) -> Handle {
        guard let handle = handle(id) else { throw .noSuchItem(id) }
        return handle
    }

    func requiredHandle(_ id: SectionID) throws(OperationError) -> Handle {
        guard let handle = handle(id) else { throw .noSuchSection(id) }
        return handle
    }
}

// MARK: - Places

extension Snapshot {
    private func owner(_ container: Container) throws(OperationError) -> Handle {
        if let id = container.parent {
            let parent = try requiredHandle(id)
            if let section = container.section, forest.section(parent) != (try requiredHandle(section)) {
                throw .invalidItemAnchor(id, .isParentElsewhere)
            }
            return parent
        }
        if let section = container.section { return try requiredHandle(section) }
        // A list without sections at this point means that no items are inserted, since they would have created one.
        guard let last = forest.children(Forest.list)?.last else { throw .noSuchSection(.first) }
        return last
    }

    /// The owner of items that are added to a container.
    ///
    /// If the list has no sections and the items name none, a section is created. So clients that use no sections can
    /// ignore them, and two clients that start at the same time need not agree on which one creates the first.
    private mutating func owner(
        _ container: Container, of items: [Item], _ insertion: ApplyContext
    ) throws(OperationError) -> Handle {
        if !items.isEmpty, container.isLastSection, numberOfSections == 0 {
            try insert([Section(id: .first)], at: .end, insertion)
        }
        return try owner(container)
    }

    /// Resolves a position. An inserted or moved item cannot be its own anchor.
    /// - Parameter items: the items to insert; empty for a move.
    private mutating func place(
        of position: ItemPosition, _ fault: AnchorFault, _ items: [Item], _ insertion: ApplyContext,
        where isComing: (Record) -> Bool
    ) throws(OperationError) -> (owner: Handle, HandlePosition) {
        switch position {
        case .front(let container): return (try owner(container, of: items, insertion), .front)
        case .end(let container): return (try owner(container, of: items, insertion), .end)
        case .before(let anchor, let container):
            let sibling = try sibling(anchor, in: container, fault, where: isComing)
            return (forest.parent(sibling), .before(sibling))
        case .after(let anchor, let container):
            let sibling = try sibling(anchor, in: container, fault, where: isComing)
            return (forest.parent(sibling), .after(sibling))
        }
    }

    private func sibling(
        _ anchor: ItemID, in container: Container?, _ fault: AnchorFault, where isComing: (Record) -> Bool
    ) throws(OperationError) -> Handle {
        if isComing(anchor.record) { throw .invalidItemAnchor(anchor, fault) }
        let sibling = try requiredHandle(anchor)
        if let container, try owner(container) != forest.parent(sibling) {
            throw .invalidItemAnchor(anchor, .isElsewhere)
        }
        return sibling
    }

    /// Resolves a section's position. An inserted or moved section cannot be its own anchor.
    private func spot(
        of position: SectionPosition, _ fault: AnchorFault, where isComing: (Record) -> Bool
    ) throws(OperationError) -> HandlePosition {
        switch position {
        case .front: return .front
        case .before(let anchor): return .before(try sibling(anchor, fault, where: isComing))
        case .after(let anchor): return .after(try sibling(anchor, fault, where: isComing))
        }
    }

    private func sibling(
        _ anchor: SectionID, _ fault: AnchorFault, where isComing: (Record) -> Bool
    ) throws(OperationError) -> Handle {
        if isComing(anchor.record) { throw .invalidSectionAnchor(anchor, fault) }
        return try requiredHandle(anchor)
    }
}

extension [Item] {
    fileprivate func contains(_ id: Record) -> Bool {
        contains { $0.record.hasSameID(as: id) || !$0.children.isEmpty && $0.children.contains(id) }
    }
}

// MARK: - Inserting

extension Snapshot {
    mutating func insert(_ sections: [Section], at spot: HandlePosition, _ insertion: ApplyContext)
        throws(OperationError)
    {
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
            // The section has no position yet. Its items are counted when it gets one.
            try insert(section.items, under: handle, at: .end, insertion, level: 0)
        }
        forest.place(handles, under: Forest.list, at: spot)
    }

    private mutating func insert(
        _ items: [Item], under owner: Handle, at spot: HandlePosition, _ insertion: ApplyContext
    ) throws(OperationError) {
        try insert(items, under: owner, at: spot, insertion, level: forest.level(owner) + 1)
    }

    private mutating func insert(
        _ items: [Item], under owner: Handle, at spot: HandlePosition, _ insertion: ApplyContext, level: Int
    ) throws(OperationError) {
        guard let first = items.first else { return }
        try insertion.checkLevel(level, of: first)
        if items.count == 1 {
            // The most common case: no array for the handle.
            forest.place(CollectionOfOne(try insert(first, insertion, level: level)), under: owner, at: spot)
            return
        }
        var handles: [Handle] = []
        handles.reserveCapacity(items.count)
        for item in items { handles.append(try insert(item, insertion, level: level)) }
        forest.place(handles, under: owner, at: spot)
    }

    /// Allocates an item with its children. It has no position yet.
    private mutating func insert(_ item: Item, _ insertion: ApplyContext, level: Int) throws(OperationError) -> Handle {
        guard itemHandle(item.record) == nil else { throw .duplicateItem(item.id) }
        let handle = try allocate(item, insertion)
        if !item.children.isEmpty {
            try insert(item.children, under: handle, at: .end, insertion, level: level + 1)
        }
        return handle
    }

    /// Allocates a handle for a new item. It shares the record of the known state if nothing in it changed.
    mutating func allocate(_ item: Item, _ insertion: ApplyContext) throws(OperationError) -> Handle {
        guard itemIndex.count < insertion.limits.itemsMax else { throw .tooManyItems(max: insertion.limits.itemsMax) }
        let slot = insertion.known.flatMap { known in known.itemHandle(item.record).map { known.forest.slots[$0] } }
        let record = item.record.sharing(slot?.record)
        let handle = forest.allocate(
            record, isExpanded: item.isExpanded ?? slot?.isExpanded ?? false, isFolded: item.isFolded)
        itemIndex.insert(handle, hash: record.hash)
        return handle
    }
}

extension Snapshot.ApplyContext {
    /// Counts a patch of a content of this length, in bytes.
    mutating func countPatched(_ length: Int) throws(OperationError) {
        patchedLength += length
        guard patchedLength <= limits.patchedLengthMax else { throw .tooMuchPatched(max: limits.patchedLengthMax) }
    }

    func checkLevel(_ level: Int, of item: Item) throws(OperationError) {
        guard level < limits.levelsMax else { throw .tooManyLevels(item.id, max: limits.levelsMax) }
    }
}

// MARK: - Deleting

extension Snapshot {
    private mutating func delete(_ ids: [SectionID], _ unknown: ListOperation.Unknown) throws(OperationError) {
        for handle in try handlesToDelete(ids, unknown, requiredHandle) { delete(handle) }
    }

    private mutating func delete(_ ids: [ItemID], _ unknown: ListOperation.Unknown) throws(OperationError) {
        // The most common case: no array for the handle.
        if ids.count == 1, let handle = handle(ids[0]) { return delete(handle) }
        for handle in try handlesToDelete(ids, unknown, requiredHandle) { delete(handle) }
    }

    /// Looks up all ids before the first deletion, so that a parent can be named together with its child.
    private func handlesToDelete<ID>(
        _ ids: [ID], _ unknown: ListOperation.Unknown, _ known: (ID) throws(OperationError) -> Handle
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

    private mutating func deleteAll() {
        let record = listRecord
        self = Snapshot().restored(after: self)
        setListRecord(record)
    }

    private mutating func delete(_ handle: Handle) {
        // It may have been deleted with a parent earlier in the same operation.
        guard forest.slots.hasRecord(handle) else { return }
        forest.detach(handle)
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
        let handle = try requiredHandle(id)
        let spot = try spot(of: position, .isMoved) { $0.hasSameID(as: id.record) }
        forest.move(handle, under: Forest.list, at: spot)
    }

    private mutating func move(
        _ id: ItemID, to position: ItemPosition, _ insertion: ApplyContext
    ) throws(OperationError) {
        let limits = insertion.limits
        let handle = try requiredHandle(id)
        let (owner, spot) = try place(of: position, .isMoved, [], insertion) { $0.hasSameID(as: id.record) }
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
            let handle = try requiredHandle(reload.id)
            let record = forest.record(handle)
            forest.setRecord(
                reload.content == nil
                    ? record.marked(\.reload, nextRedraw()) : record.replacing(kind: nil, content: reload.content),
                of: handle)
        }
    }

    private mutating func reconfigure(_ changes: [ItemReconfiguration]) throws(OperationError) {
        for change in changes {
            let handle = try requiredHandle(change.id)
            let record = forest.record(handle)
            forest.setRecord(
                change.content == nil
                    ? record.marked(\.reconfiguration, nextRedraw())
                    : record.replacing(kind: nil, content: change.content),
                of: handle)
        }
    }

    private mutating func patch(_ patches: [ItemPatch], _ insertion: inout ApplyContext) throws(OperationError) {
        for patch in patches {
            let handle = try requiredHandle(patch.id)
            let record = forest.record(handle)
            try insertion.countPatched(record.contentLength)
            let content = try patch.patch(record.content)
            forest.setRecord(record.replacing(kind: nil, content: .some(content)), of: handle)
        }
    }

    private mutating func patch(_ patch: ListPatch, _ insertion: inout ApplyContext) throws(OperationError) {
        try insertion.countPatched(listRecord?.contentLength ?? 0)
        setContent(try patch.patch(content))
    }

    private mutating func reload(_ reloads: [ItemReload]) throws(OperationError) {
        for reload in reloads {
            let handle = try requiredHandle(reload.id)
            let record = forest.record(handle)
            // A new kind implies a reload. Without one, clients are asked to reload.
            let isNewKind = reload.kind.map { $0 != record.kind } ?? false
            var redraws = record.redraws
            if !isNewKind { redraws.reload = nextRedraw() }
            forest.setRecord(
                record.replacing(kind: reload.kind, content: reload.content, redraws: redraws), of: handle)
        }
    }
}

extension Record {
    fileprivate func marked(_ request: WritableKeyPath<Redraws, UInt64>, _ number: UInt64) -> Record {
        var redraws = self.redraws
        redraws[keyPath: request] = number
        return replacing(kind: nil, content: nil, redraws: redraws)
    }
}
