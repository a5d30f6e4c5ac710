/// Makes a snapshot from what a `SnapshotCursor` reads, in the same order: each section before its items, each item
/// before its children.
///
/// Nothing is looked for and nothing is moved: what has come whole is put in its place once. O(n) in all.
package struct SnapshotBuilder {
    private var snapshot = Snapshot()
    private var sections: [Handle] = []
    /// The items from the one at level 0 down to the last one, below the last section.
    private var path: [Handle] = []
    /// Those that have come under the last section, and under each item of the path: of level 0, of level 1 and so on.
    private var siblings: [[Handle]] = []

    package init() {}

    /// The bytes are copied; those of the id must have been validated.
    package mutating func append(
        section id: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer
    ) throws(OperationError) {
        endSection()
        let record = Record.make(id: id, kind: UnsafeRawBufferPointer(start: nil, count: 0), content: content)
        guard snapshot.sectionHandle(record) == nil else { throw .duplicateSection(SectionID(record: record)) }
        let handle = snapshot.forest.allocate(record, isExpanded: false)
        snapshot.sectionIndex.insert(handle, hash: record.hash)
        sections.append(handle)
    }

    /// At level 0 it stands directly in the last section, and at most one level below the item before it.
    package mutating func append(
        item id: UnsafeRawBufferPointer, kind: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer, level: Int,
        isExpanded: Bool
    ) throws(OperationError) {
        precondition(!sections.isEmpty && level <= path.count, "an item comes after its section and its parent")
        leave(level)
        let record = Record.make(id: id, kind: kind, content: content)
        guard snapshot.itemHandle(record) == nil else { throw .duplicateItem(ItemID(record: record)) }
        let handle = snapshot.forest.allocate(record, isExpanded: isExpanded)
        snapshot.itemIndex.insert(handle, hash: record.hash)
        path.append(handle)
        if level == siblings.count { siblings.append([]) }
        siblings[level].append(handle)
    }

    /// The level that the next item may have at most.
    package var levelMax: Int { sections.isEmpty ? -1 : path.count }

    /// Keeps only so many items on the path: those under the others are all there, and are put in their places.
    private mutating func leave(_ count: Int) {
        while path.count > count {
            let owner = path.removeLast()
            if siblings.count > path.count + 1 { place(path.count + 1, under: owner) }
        }
    }

    private mutating func endSection() {
        leave(0)
        if let section = sections.last, !siblings.isEmpty { place(0, under: section) }
    }

    private mutating func place(_ level: Int, under owner: Handle) {
        snapshot.forest.place(siblings[level], under: owner, at: .end)
        siblings[level].removeAll(keepingCapacity: true)
    }

    /// What has come, whole.
    package consuming func finished() -> Snapshot {
        endSection()
        snapshot.forest.place(sections, under: Forest.list, at: .end)
        return snapshot
    }
}
