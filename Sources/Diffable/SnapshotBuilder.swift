/// Builds a snapshot from elements in the order of a `SnapshotCursor`: each section before its items, each item before
/// its children.
///
/// Every page is written once and none is ever split, so that a million items take no longer than reading them does.
/// O(n) in all.
package struct SnapshotBuilder {
    private var forest = Forest()
    private var sections = SiblingRun(of: Forest.list)
    private var sectionIndex = IdentifierIndex()
    /// The last section, the last item in it, the last one under that, and so on.
    private var path: [Handle] = []
    /// The runs that are open: of the last section's items, of the children of the last of them, and so on.
    private var runs: [SiblingRun] = []
    /// Of all items, for the index.
    private var hashes: [IdentifierIndex.Pair] = []
    /// The newest, which have their handles already and not their slots: a page of slots is looked up once for all on it.
    private var waiting: [(record: Record, place: Place)] = []

    package init() {}

    /// Whether nothing has come so far.
    package var isEmpty: Bool { path.isEmpty && forest.slots.record(Forest.list) == nil }

    /// What the list has of its own. A record without an id; nil for nothing.
    package mutating func set(list record: Record?) {
        if let record { forest.setListRecord(record) }
    }

    /// The level that the next item may have at most; -1 when none may come yet.
    package var levelMax: Int { path.count - 1 }

    /// The bytes are copied; those of the id must have been validated.
    package mutating func append(
        section id: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer
    ) throws(OperationError) {
        try append(section: Record.make(id: id, kind: UnsafeRawBufferPointer(start: nil, count: 0), content: content))
    }

    /// At level 0 it stands directly in the last section; it is at most one level below the item before it.
    package mutating func append(
        item id: UnsafeRawBufferPointer, kind: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer, level: Int,
        isExpanded: Bool
    ) {
        append(
            item: Record.make(id: id, kind: kind, content: content), hash: identifierHash(id), level: level,
            isExpanded: isExpanded)
    }

    /// A section with all that is in it.
    mutating func append(_ section: Section) throws(OperationError) {
        try append(section: section.record)
        for item in section.items { append(item, level: 0) }
    }

    private mutating func append(_ item: Item, level: Int) {
        append(item: item.record, hash: item.record.hash, level: level, isExpanded: item.isExpanded ?? false, isFolded: item.isFolded)
        for child in item.children { append(child, level: level + 1) }
    }

    /// A section whose record was made before.
    package mutating func append(section record: Record) throws(OperationError) {
        leave(0)
        settle()
        let hash = record.hash
        guard sectionIndex.handle(hash: hash, where: { forest.record($0).hasSameID(as: record) }) == nil else {
            throw .duplicateSection(SectionID(record: record))
        }
        let handle = forest.allocate(
            record, at: Place(parent: Forest.list, leaf: sections.nextLeaf(in: &forest), isExpanded: false))
        sections.append(handle)
        sectionIndex.insert(handle, hash: hash)
        path.append(handle)
    }

    /// An item whose record was made before, on whatever thread.
    package mutating func append(
        item record: Record, hash: UInt32, level: Int, isExpanded: Bool, isFolded: Bool = false
    ) {
        precondition(level <= levelMax, "an item comes after its section and its parent")
        leave(level + 1)
        if runs.count == level { runs.append(SiblingRun(of: path[level])) }
        let place = Place(parent: path[level], leaf: runs[level].nextLeaf(in: &forest), isExpanded: isExpanded, isFolded: isFolded)
        let handle = forest.handle(after: waiting.count)
        waiting.append((record, place))
        if SlotArray.isLastOfPage(handle) { settle() }
        runs[level].append(handle)
        hashes.append(IdentifierIndex.pair(handle, hash: hash))
        path.append(handle)
    }

    /// Writes the slots of the elements that wait.
    private mutating func settle() {
        if waiting.isEmpty { return }
        forest.allocate(waiting)
        waiting.removeAll(keepingCapacity: true)
    }

    /// Shortens the path. The subtrees below the rest are complete.
    private mutating func leave(_ count: Int) {
        while path.count > count {
            path.removeLast()
            guard runs.count > path.count, var run = runs.popLast() else { continue }
            let total = run.end(in: &forest)
            let above = runs.count - 1
            if above < 0 { sections.addDescendants(total) } else { runs[above].addDescendants(total) }
        }
    }

    /// The snapshot. Throws `duplicateItem` for an id that is there twice.
    package consuming func finished() throws(OperationError) -> Snapshot {
        end()
        var snapshot = Snapshot()
        snapshot.itemIndex = try IdentifierIndex(hashes, of: forest)
        snapshot.sectionIndex = sectionIndex
        snapshot.forest = forest
        return snapshot
    }

    private mutating func end() {
        leave(0)
        settle()
        if sectionIndex.count > 0 { _ = sections.end(in: &forest) }
    }
}
