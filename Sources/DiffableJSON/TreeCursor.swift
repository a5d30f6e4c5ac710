import Diffable

/// Reads sections or items that an operation inserts, in pre-order. It can be kept and continued at any time.
struct TreeCursor: Sendable {
    private var sections: ArraySlice<Section>
    /// The items of the last section, or all items.
    private var items: ItemCursor

    init(_ sections: [Section]) {
        self.sections = sections[...]
        items = ItemCursor([])
    }

    init(_ items: [Item]) {
        sections = []
        self.items = ItemCursor(items)
    }

    mutating func next() -> OperationsWriter.ElementRun.Element? {
        if let (record, level, isExpanded, isFolded) = items.next() {
            return .item(record, level: level, isExpanded: isExpanded, isFolded: isFolded)
        }
        guard let section = sections.popFirst() else { return nil }
        items = ItemCursor(section.items)
        return .section(section.record)
    }
}
