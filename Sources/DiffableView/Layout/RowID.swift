import Diffable

/// Identifies a drawn row. A row keeps its id after every change.
package enum RowID: Hashable, Sendable {
    case title
    case header(SectionID)
    case item(ItemID)
    case more(SectionID)
    case footer(SectionID)
    case empty
    /// A row that is not loaded, by its index in the list.
    case placeholder(Int)

    package var item: ItemID? {
        if case .item(let id) = self { id } else { nil }
    }
}

/// The owner of items side by side: a section, or an item with children.
package enum ItemParent: Hashable, Sendable {
    case section(SectionID)
    case item(ItemID)
}

/// A row with a fixed line, from which all other rows are laid out. It stays in place while rows above and below change.
package struct Anchor: Hashable, Sendable {
    package var id: RowID
    /// In the rows' part of the screen; negative for a row that begins above it.
    package var line: Int

    package init(id: RowID, line: Int) {
        self.id = id
        self.line = line
    }
}
