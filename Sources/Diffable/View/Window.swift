/// Some neighbouring rows of a list. A row is an item at any depth, and rows are counted in the list's order, each item
/// before its children.
package struct Window: Hashable, Sendable {
    package var start: Start
    /// How many rows it has at most.
    package var limit: Int

    package enum Start: Hashable, Sendable {
        /// So many rows are before it.
        case offset(Int)
        /// It begins with this item. When the list does not have it any more, the window stays where it was.
        case anchor(ItemID)
    }

    package init(start: Start, limit: Int) {
        self.start = start
        self.limit = limit
    }

    /// What a window shows.
    package struct Extract: Sendable {
        /// The rows, in their sections; what they stand under is shown too, whether it is a row of the window or not.
        package var snapshot: Snapshot
        package var extent: Extent
        /// Whether it was to begin with an item that is not there.
        package var lacksAnchor: Bool
    }

    /// Where a window lies.
    package struct Extent: Hashable, Sendable {
        /// How many rows are before it.
        package var offset: Int
        /// How many rows there are with those outside of it.
        package var total: Int

        package init(offset: Int, total: Int) {
            self.offset = offset
            self.total = total
        }
    }

    /// What it shows of a list, given how many rows were before it the last time. O(limit + log n).
    package func extract(from list: Snapshot, previousOffset: Int = 0) -> Extract {
        let wanted: Int?
        switch start {
        case .offset(let offset): wanted = offset
        case .anchor(let id): wanted = list.index(ofItem: id)
        }
        let offset = min(max(wanted ?? previousOffset, 0), list.numberOfItems)
        var extraction = Extraction(list: list, passed: offset, wanted: max(limit, 0))
        return Extract(
            snapshot: extraction.snapshot(), extent: Extent(offset: offset, total: list.numberOfItems),
            lacksAnchor: wanted == nil)
    }
}

private struct Extraction {
    let list: Snapshot
    /// How many rows are still to be passed over.
    var passed: Int
    /// How many rows are still to be taken.
    var wanted: Int

    mutating func snapshot() -> Snapshot {
        var sections: [Section] = []
        if wanted == 0 { return Snapshot(shown: sections, of: list) }
        // Sections may be as many as items: those before the first row, and those without rows, are not met.
        list.forest.forEachSection(fromItem: passed) { section, rest in
            passed = rest
            sections.append(Section(record: list.forest.record(section), items: items(under: section)))
            return wanted > 0
        }
        return Snapshot(shown: sections, of: list)
    }

    private mutating func items(under owner: Handle) -> [Item] {
        guard let siblings = list.forest.children(owner) else { return [] }
        var index = passed > 0 ? firstIndex(under: owner) : 0
        var items: [Item] = []
        while wanted > 0, index < Int(siblings.count) {
            let handle = siblings[index]
            if passed > 0 {
                passed -= 1
            } else {
                wanted -= 1
            }
            items.append(
                Item(
                    record: list.forest.record(handle), isExpanded: list.forest.isExpanded(handle),
                    children: self.items(under: handle)))
            index += 1
        }
        return items
    }

    /// The index of the sibling that the first wanted row is, or is under; those before it are passed over.
    private mutating func firstIndex(under owner: Handle) -> Int {
        let (first, rest) = list.forest.child(atOffset: passed, under: owner)
        passed = rest
        return list.forest.siblingIndex(first)
    }
}
