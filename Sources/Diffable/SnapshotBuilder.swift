/// Builds a snapshot from elements in the order of a `SnapshotCursor`: sections before their items, parents before
/// their children.
///
/// Every page is written once and never split, so that building a million items takes no longer than reading them. O(n) in total.
package struct SnapshotBuilder {
    private var forest = Forest()
    private var sections = SiblingTreeBuilder(of: Forest.list)
    private var sectionIndex = IdentifierIndex()
    /// The last section, its last item, the last child of that, and so on.
    private var path: [Handle] = []
    /// The open runs: of the last section's items, of the children of its last item, and so on.
    private var runs: [SiblingTreeBuilder] = []
    private var hashes: [IdentifierIndex.Pair] = []
    /// The newest elements, which have handles but no slots yet, so that each page of slots is looked up only once.
    private var waiting: [(record: Record, place: SlotPosition)] = []

    package init() {}

    package var isEmpty: Bool { path.isEmpty && forest.slots.record(Forest.list) == nil }

    /// Sets the list's own content: a record without an id, or nil for none.
    package mutating func set(list record: Record?) {
        if let record { forest.setListRecord(record) }
    }

    /// The maximum level of the next item; -1 before the first section.
    package var levelMax: Int { path.count - 1 }

    /// Appends a section. Copies the bytes; the id has to be valid.
    package mutating func append(
        section id: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer
    ) throws(OperationError) {
        try append(section: Record.make(id: id, kind: UnsafeRawBufferPointer(start: nil, count: 0), content: content))
    }

    /// Appends an item. At level 0 it is directly in the last section. It is at most one level below the previous item.
    package mutating func append(
        item id: UnsafeRawBufferPointer, kind: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer, level: Int,
        isExpanded: Bool
    ) {
        append(
            item: Record.make(id: id, kind: kind, content: content), hash: identifierHash(id), level: level,
            isExpanded: isExpanded)
    }

    mutating func append(_ section: Section) throws(OperationError) {
        try append(section: section.record)
        for item in section.items { append(item, level: 0) }
    }

    private mutating func append(_ item: Item, level: Int) {
        append(
            item: item.record, hash: item.record.hash, level: level, isExpanded: item.isExpanded ?? false,
            isFolded: item.isFolded)
        for child in item.children { append(child, level: level + 1) }
    }

    package mutating func append(section record: Record) throws(OperationError) {
        closeSubtrees(downTo: 0)
        allocateWaiting()
        let hash = record.hash
        guard sectionIndex.handle(hash: hash, where: { forest.record($0).hasSameID(as: record) }) == nil else {
            throw .duplicateSection(SectionID(record: record))
        }
        let handle = forest.allocate(
            record, at: SlotPosition(parent: Forest.list, leaf: sections.nextLeaf(in: &forest), isExpanded: false))
        sections.append(handle)
        sectionIndex.insert(handle, hash: hash)
        path.append(handle)
    }

    /// Appends an item with an existing record, which any thread may have made.
    package mutating func append(
        item record: Record, hash: UInt32, level: Int, isExpanded: Bool, isFolded: Bool = false
    ) {
        precondition(level <= levelMax, "an item comes after its section and its parent")
        closeSubtrees(downTo: level + 1)
        if runs.count == level { runs.append(SiblingTreeBuilder(of: path[level])) }
        let place = SlotPosition(
            parent: path[level], leaf: runs[level].nextLeaf(in: &forest), isExpanded: isExpanded, isFolded: isFolded)
        let handle = forest.handle(after: waiting.count)
        waiting.append((record, place))
        if SlotArray.isLastOfPage(handle) { allocateWaiting() }
        runs[level].append(handle)
        hashes.append(IdentifierIndex.pair(handle, hash: hash))
        path.append(handle)
    }

    private mutating func allocateWaiting() {
        if waiting.isEmpty { return }
        forest.allocate(waiting)
        waiting.removeAll(keepingCapacity: true)
    }

    /// Shortens the path. The subtrees below its end are complete.
    private mutating func closeSubtrees(downTo count: Int) {
        while path.count > count {
            path.removeLast()
            guard runs.count > path.count, var run = runs.popLast() else { continue }
            let total = run.end(in: &forest)
            let above = runs.count - 1
            if above < 0 { sections.addDescendants(total) } else { runs[above].addDescendants(total) }
        }
    }

    /// Returns the snapshot. Throws `duplicateItem` for a duplicate id.
    package consuming func finished() throws(OperationError) -> Snapshot {
        end()
        var snapshot = Snapshot()
        snapshot.itemIndex = try IdentifierIndex(hashes, of: forest)
        snapshot.sectionIndex = sectionIndex
        snapshot.forest = forest
        return snapshot
    }

    private mutating func end() {
        closeSubtrees(downTo: 0)
        allocateWaiting()
        if sectionIndex.count > 0 { _ = sections.end(in: &forest) }
    }
}
