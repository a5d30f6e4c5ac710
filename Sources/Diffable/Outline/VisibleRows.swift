/// A row of an outline: an item whose ancestors are all expanded.
public struct VisibleRow: Hashable, Identifiable, Sendable {
    /// The item that it shows.
    public var id: ItemID
    /// The section that the item is in, at any depth.
    public var section: SectionID
    /// How many ancestors it has: 0 directly in its section.
    public var level: Int
    /// Whether its children are rows too.
    public var isExpanded: Bool
    /// Whether there is something to expand.
    public var hasChildren: Bool
}

/// The rows of a list as a flat table or a terminal shows them: its visible items, section by section, each before its
/// children. Sections are no rows of their own.
///
/// It is a value, like the snapshot that it shows, and answers what a data source is asked:
///
///     func numberOfRows() -> Int { rows.count }
///     func level(at index: Int) -> Int { rows[index].level }
public struct VisibleRows: Sendable {
    let list: Snapshot
    /// The list without what is folded away.
    let shown: Snapshot

    private static let fold = Selection(.shared)

    /// O(n).
    public init(of list: Snapshot) {
        self.list = list
        shown = Self.fold.evaluate(list)
    }

    private init(list: Snapshot, shown: Snapshot) {
        self.list = list
        self.shown = shown
    }

    /// The rows of the state that a difference leads to. O(log² n) for each item that changed, and O(1) for each row that comes.
    ///
    /// - Parameter difference: `new.difference(from:)` the state whose rows these are.
    package func advanced(to new: Snapshot, by difference: [ListOperation]) -> VisibleRows {
        VisibleRows(list: new, shown: Self.fold.follow(shown, from: list, to: new, by: difference))
    }

    /// O(1).
    public var count: Int { shown.numberOfItems }

    /// A row by its index, from 0 to `count`. O(sections + log n).
    public subscript(index: Int) -> VisibleRow {
        guard let handle = shown.handle(ofItemAt: index) else {
            preconditionFailure("there is no row \(index) among \(count)")
        }
        return row(shown.itemID(handle))
    }

    /// Where an item's row is; nil when the item is not visible. O(depth · log n).
    public func index(of item: ItemID) -> Int? { shown.index(ofItem: item) }

    /// An item's row; nil when the item is not visible. O(log n).
    public subscript(item: ItemID) -> VisibleRow? { shown.contains(item) ? row(item) : nil }

    /// All of them. O(n).
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
    /// The item at an index of `itemIdentifiers`; nil beyond its end.
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
