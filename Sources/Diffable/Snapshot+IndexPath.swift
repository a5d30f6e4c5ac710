extension Snapshot {
    /// Where an item stands: the index of its section, then the index among the siblings on each level down to its own.
    /// O(depth · log n).
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

    /// The item at an index path; nil where none is. O(depth · log n).
    public func itemIdentifier(at path: [Int]) -> ItemID? {
        guard path.count > 1 else { return nil }
        return handle(at: path).map(itemID)
    }

    /// The section at an index; nil where none is. O(log n).
    public func sectionIdentifier(at index: Int) -> SectionID? {
        handle(at: [index]).map(sectionID)
    }

    private func handle(at path: [Int]) -> Handle? {
        path.reduce(Forest.list) { owner, index in owner.flatMap { forest.child(atIndex: index, under: $0) } }
    }

    /// How many items stand directly in a section.
    public func numberOfRootItems(inSection id: SectionID) -> Int? {
        handle(id).map { Int(forest.children($0)?.count ?? 0) }
    }

    /// How many children an item has, without theirs.
    public func numberOfChildren(of id: ItemID) -> Int? {
        handle(id).map { Int(forest.children($0)?.count ?? 0) }
    }
}
