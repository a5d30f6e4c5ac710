extension Snapshot {
    /// An item's index path: the index of its section, followed by the index among the siblings on each level. Nil if
    /// it is unknown. O(depth · log n).
    public func indexPath(ofItem id: ItemID) -> [Int]? {
        guard let item = handle(id) else { return nil }
        var path: [Int] = []
        var handle = item
        while handle != Forest.list {
            path.append(forest.siblingIndex(handle))
            handle = forest.parent(handle)
        }
        return path.reversed()
    }

    /// The item at an index path. Nil for none. O(depth · log n).
    public func itemIdentifier(at path: [Int]) -> ItemID? {
        guard path.count > 1 else { return nil }
        return handle(at: path).map(itemID)
    }

    /// The section at an index. Nil if out of range. O(log n).
    public func sectionIdentifier(at index: Int) -> SectionID? {
        handle(at: [index]).map(sectionID)
    }

    private func handle(at path: [Int]) -> Handle? {
        path.reduce(Forest.list) { owner, index in owner.flatMap { forest.child(atIndex: index, under: $0) } }
    }

    /// The number of items directly in a section.
    public func numberOfRootItems(inSection id: SectionID) -> Int? {
        handle(id).map { Int(forest.children($0)?.count ?? 0) }
    }

    /// The number of direct children of an item.
    public func numberOfChildren(of id: ItemID) -> Int? {
        handle(id).map { Int(forest.children($0)?.count ?? 0) }
    }
}
