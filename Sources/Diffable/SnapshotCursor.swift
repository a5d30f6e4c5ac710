/// Reads a snapshot from the front to the back, each section before its items and each item before its children.
///
/// A cursor can be kept and continued at any time: it holds the snapshot, which never changes. A step costs O(1)
/// amortised, and memory by the depth of the outline.
package struct SnapshotCursor: Sendable {
    package enum Element {
        case section(Record)
        /// At level 0 it stands directly in the section.
        case item(Record, level: Int, isExpanded: Bool, isFolded: Bool)
    }

    private let forest: Forest
    /// The siblings that are being read: the sections', and below them one for each open parent.
    private var open: [SiblingCursor] = []

    package init(_ snapshot: Snapshot) {
        self.forest = snapshot.forest
        if let sections = forest.children(Forest.list) { open.append(SiblingCursor(sections)) }
    }

    package mutating func next() -> Element? {
        guard let (handle, level) = nextHandle() else { return nil }
        let slot = forest.slots[handle]
        guard let record = slot.record else { preconditionFailure("what stands in a tree has a record") }
        return level < 0 ? .section(record) : .item(record, level: level, isExpanded: slot.isExpanded, isFolded: slot.isFolded)
    }

    /// The next handle and its level; a section's is -1.
    mutating func nextHandle() -> (Handle, level: Int)? {
        while !open.isEmpty {
            let level = open.count - 2
            guard let handle = open[open.count - 1].next() else {
                open.removeLast()
                continue
            }
            if let children = forest.children(handle) { open.append(SiblingCursor(children)) }
            return (handle, level)
        }
        return nil
    }
}

/// Reads siblings in order.
struct SiblingCursor: Sendable {
    private var branches: [(page: SiblingTree, position: Int)] = []
    private var leaf: SiblingTree
    private var position = 0

    init(_ tree: SiblingTree) {
        leaf = tree
        descend(to: tree)
    }

    private mutating func descend(to tree: SiblingTree) {
        var tree = tree
        while !tree.isLeaf {
            branches.append((tree, 1))
            tree = tree.withPages { $0[0] }
        }
        leaf = tree
        position = 0
    }

    mutating func next() -> Handle? {
        while position == Int(leaf.count) {
            guard let (branch, next) = branches.popLast() else { return nil }
            guard next < branch.withPages(\.count) else { continue }
            branches.append((branch, next + 1))
            descend(to: branch.withPages { $0[next] })
        }
        position += 1
        return leaf.withHandles { $0[position - 1] }
    }
}

/// Reads the items of an operation, each before its children.
package struct ItemCursor: Sendable {
    private var open: [(items: [Item], position: Int)]

    package init(_ items: [Item]) { open = [(items, 0)] }

    /// The next item, its level among these items, and whether it is expanded, if that is given.
    package mutating func next() -> (record: Record, level: Int, isExpanded: Bool?, isFolded: Bool)? {
        while let (items, position) = open.popLast() {
            guard position < items.count else { continue }
            let level = open.count
            let item = items[position]
            open.append((items, position + 1))
            if !item.children.isEmpty { open.append((item.children, 0)) }
            return (item.record, level, item.isExpanded, item.isFolded)
        }
        return nil
    }
}
