/// A row of an outline: an item whose ancestors are all expanded.
public struct VisibleRow: Hashable, Identifiable, Sendable {
    /// The item that the row shows.
    public var id: ItemID
    /// The section that contains the item, at any depth.
    public var section: SectionID
    /// The number of ancestor items: 0 for an item directly in its section.
    public var level: Int
    /// Whether the item's children are shown too.
    public var isExpanded: Bool
    /// Whether the item has children.
    public var hasChildren: Bool
}

/// The rows of a list in a flat table or a terminal: its visible items, section by section, parents before their
/// children. Sections are not rows.
///
/// It is a value, like the snapshot it shows, and answers the questions of a data source:
///
///     func numberOfRows() -> Int { rows.count }
///     func level(at index: Int) -> Int { rows[index].level }
public struct VisibleRows: Sendable {
    let list: Snapshot
    /// The list without descendants of collapsed items.
    let shown: Snapshot

    private static let fold = Selection(.shared)

    /// The rows of a list. O(n).
    public init(of list: Snapshot) {
        self.list = list
        shown = Self.fold.evaluate(list)
    }

    private init(list: Snapshot, shown: Snapshot) {
        self.list = list
        self.shown = shown
    }

    /// The rows of the state that a diff leads to. O(log² n) for each changed item, and O(1) for each row that is inserted.
    /// - Parameter difference: `new.difference(from:)` the state of these rows.
    package func advanced(to new: Snapshot, by difference: [ListOperation]) -> VisibleRows {
        VisibleRows(list: new, shown: Self.fold.follow(shown, from: list, to: new, by: difference))
    }

    /// The number of rows. O(1).
    public var count: Int { shown.numberOfItems }

    /// The row at an index from 0 to `count - 1`. O(sections + log n).
    public subscript(index: Int) -> VisibleRow {
        guard let handle = shown.handle(ofItemAt: index) else {
            preconditionFailure("there is no row \(index) among \(count)")
        }
        return row(shown.itemID(handle))
    }

    /// The index of an item's row. Nil if the item is not visible. O(depth · log n).
    public func index(of item: ItemID) -> Int? { shown.index(ofItem: item) }

    /// An item's row. Nil if the item is not visible. O(log n).
    public subscript(item: ItemID) -> VisibleRow? { shown.contains(item) ? row(item) : nil }

    /// All rows. O(n).
    public var all: [VisibleRow] { shown.itemIdentifiers.map(row) }

    private func row(_ id: ItemID) -> VisibleRow {
        guard let handle = list.handle(id) else { preconditionFailure("the list has what is shown of it") }
        let forest = list.forest
        return VisibleRow(
            id: id, section: list.sectionID(forest.section(handle)), level: forest.level(handle),
            isExpanded: forest.isExpanded(handle), hasChildren: forest.children(handle) != nil)
    }
}

extension Snapshot {
    /// The item at an index of `itemIdentifiers`. Nil if out of range.
    fileprivate func handle(ofItemAt index: Int) -> Handle? {
        guard index >= 0, let sections = forest.children(Forest.list) else { return nil }
        var rest = index
        var cursor = SiblingCursor(sections)
        while let section = cursor.next() {
            let count = forest.weight(section) - 1
            if rest >= count {
                rest -= count
                continue
            }
            var (handle, inside) = forest.child(atOffset: rest, under: section)
            while inside > 0 { (handle, inside) = forest.child(atOffset: inside - 1, under: handle) }
            return handle
        }
        return nil
    }
}
