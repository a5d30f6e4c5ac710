import Diffable

/// Names what stands in a list as it is drawn. Whatever changes, a row keeps its id.
package enum RowID: Hashable, Sendable {
    /// The list's title.
    case title
    case header(SectionID)
    case item(ItemID)
    /// Brings further items of a section.
    case more(SectionID)
    case footer(SectionID)
    /// Of a list that has nothing.
    case empty
    /// A row that is not held: so many are before it in the list.
    case placeholder(Int)

    package var item: ItemID? {
        if case .item(let id) = self { id } else { nil }
    }
}

/// Whose items stand side by side: a section, or an item with children.
package enum Owner: Hashable, Sendable {
    case section(SectionID)
    case item(ItemID)
}

/// A row and the line that it stands on, from which all others are laid out: what is above and below may change, it stays.
package struct Anchor: Hashable, Sendable {
    package var id: RowID
    /// Of the rows' part of the screen; less than zero for a row that begins above it.
    package var line: Int

    package init(id: RowID, line: Int) {
        self.id = id
        self.line = line
    }
}
