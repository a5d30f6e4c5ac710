/// Some neighbouring rows of a list. A row is an item at any depth, and rows are counted in the list's order, each item
/// before its children.
package struct Window: Hashable, Sendable {
    package var start: Start
    /// The largest number of rows.
    package var limit: Int
    /// The number of rows before the anchor, with `Start.anchor`.
    package var before = 0
    /// With `Start.offset`: the first of these items that did not move keeps its row of the window.
    package var keep: [ItemID] = []
    /// The items whose rows are reported wherever they are.
    package var pins: [ItemID] = []
    /// Whether sections without a row in the window are shown too, and the number of rows of each section.
    package var hasAllSections = false

    package enum Start: Hashable, Sendable {
        /// It begins after this number of rows.
        case offset(Int)
        /// It begins with this item, or `before` rows before it.
        case anchor(ItemID)
    }

    package init(start: Start, limit: Int) {
        self.start = start
        self.limit = limit
    }

    /// Whether its position depends on the rows that were sent before.
    package var isMoving: Bool {
        if case .anchor = start { return true }
        return !keep.isEmpty
    }

    /// The rows that a window shows, and its position.
    package struct Extract: Sendable {
        /// The rows, in their sections; their parents are shown too, whether they are rows of the window or not.
        package var snapshot: Snapshot
        package var extent: Extent
        /// The item that is the anchor now.
        package var anchor: ItemID?
        /// All rows, if the window's next position depends on them.
        package var rows: Snapshot?
        /// Whether the list has rows, but not the requested anchor.
        package var lacksAnchor: Bool

        /// The extract as history for the next one.
        package var sent: Sent? { rows.map { Sent(rows: $0, offset: extent.offset, anchor: anchor) } }
    }

    /// The position of a window among all rows.
    package struct Extent: Hashable, Sendable {
        /// The number of rows before it.
        package var offset: Int
        /// The number of rows inside and outside of it.
        package var total: Int
        /// The item that replaces the requested anchor.
        package var anchor: ItemID?
        /// The rows of the pins, in the order of the view.
        package var pins: [Pin] = []
        /// The number of rows of each section, in the list's order, if it was requested.
        package var rows: [SectionRows] = []

        package init(offset: Int, total: Int) {
            self.offset = offset
            self.total = total
        }
    }

    /// A pinned item and its row. `row` is nil if the view does not show the item.
    package struct Pin: Hashable, Sendable {
        package var item: ItemID
        package var row: Int?

        package init(item: ItemID, row: Int?) {
            self.item = item
            self.row = row
        }
    }

    /// The number of rows of a section.
    package struct SectionRows: Hashable, Sendable {
        package var section: SectionID
        package var count: Int

        package init(section: SectionID, count: Int) {
            self.section = section
            self.count = count
        }
    }

    /// Returns the part of a list that it shows to a subscriber that has been sent something. O((limit + pins) · log
    /// n), and O(sections) with all sections.
    ///
    /// - Parameters:
    ///   - sent: the rows that the subscriber has; nil for a new one.
    ///   - isSameView: whether these were sent for the same view.
    package func extract(from list: Snapshot, after sent: Sent? = nil, isSameView: Bool = true) -> Extract {
        extract(from: list, at: position(in: list, after: sent, isSameView: isSameView))
    }

    package func extract(from list: Snapshot, at position: Position) -> Extract {
        var extraction = WindowExtraction(list: list, passed: position.offset, wanted: max(limit, 0))
        var extent = Extent(offset: position.offset, total: list.numberOfItems)
        var lacksAnchor = false
        if case .anchor(let requested) = start {
            extent.anchor = position.anchor == requested ? nil : position.anchor
            lacksAnchor = extent.total > 0 && !list.contains(requested)
        }
        if !pins.isEmpty { extent.pins = pins.map { Pin(item: $0, row: list.index(ofItem: $0)) } }
        var sections = extraction.sections()
        if hasAllSections { (sections, extent.rows) = extraction.addingOtherSections(sections) }
        return Extract(
            snapshot: Snapshot(shown: sections, of: list), extent: extent, anchor: position.anchor,
            rows: isMoving ? list : nil, lacksAnchor: lacksAnchor)
    }
}

extension Window.Extent {
    /// Returns the members that a client with `old` does not know yet.
    package func members(unknownTo old: Self?) -> Self {
        guard let old, !(old.pins.isEmpty && old.rows.isEmpty) else { return self }
        var members = self
        if pins == old.pins {
            members.pins = []
        } else {
            let known = Set(old.pins)
            members.pins.removeAll { known.contains($0) }
        }
        if rows == old.rows {
            members.rows = []
        } else {
            let known = Set(old.rows)
            members.rows.removeAll { known.contains($0) }
        }
        return members
    }
}

private struct WindowExtraction {
    let list: Snapshot
    /// The number of rows still to be skipped.
    var passed: Int
    /// The number of rows still to be taken.
    var wanted: Int

    mutating func sections() -> [Section] {
        var sections: [Section] = []
        if wanted == 0 { return sections }
        // There may be as many sections as items. Sections before the first row, and sections without rows, are not
        // visited.
        list.forest.forEachSection(fromItem: passed) { section, rest in
            passed = rest
            sections.append(Section(record: list.forest.record(section), items: items(under: section)))
            return wanted > 0
        }
        return sections
    }

    /// Returns all sections of the list, with the items of the given ones, and the number of rows of each.
    func addingOtherSections(_ taken: [Section]) -> ([Section], [Window.SectionRows]) {
        var sections: [Section] = []
        var rows: [Window.SectionRows] = []
        var taken = taken[...]
        list.forest.children(Forest.list)?.forEach { handle in
            let id = list.sectionID(handle)
            rows.append(Window.SectionRows(section: id, count: list.forest.weight(handle) - 1))
            if taken.first?.id == id {
                sections.append(taken.removeFirst())
            } else {
                sections.append(Section(record: list.forest.record(handle)))
            }
        }
        return (sections, rows)
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
                    isFolded: list.forest.isFolded(handle),
                    children: self.items(under: handle)))
            index += 1
        }
        return items
    }

    /// Returns the index of the sibling that is the first wanted row or contains it, and skips the siblings before it.
    private mutating func firstIndex(under owner: Handle) -> Int {
        let (first, rest) = list.forest.child(atOffset: passed, under: owner)
        passed = rest
        return list.forest.siblingIndex(first)
    }
}
