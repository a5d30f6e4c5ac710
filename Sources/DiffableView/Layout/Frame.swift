package struct Frame: Sendable {
    package enum Shape: Sendable {
        /// Across its part of the screen, with a gutter before it.
        case row
        /// A box of its own.
        case card
    }

    /// A part of a row that the mouse can hit.
    package enum ClickablePart: Hashable, Sendable {
        case disclosure
        case checkbox
        case icon
        /// By its index among the accessories.
        case accessory(Int)
        case swipeAction(Int)
        /// A column's title, by the index of the column.
        case title(Int)
    }

    package let id: RowID
    package var rectangle: Rectangle
    package var shape = Shape.row
    package var isFocusable = true
    package var parts: [(part: ClickablePart, rectangle: Rectangle)] = []
    /// The columns for the first line of its text.
    var text: Rectangle?
    /// Nil for a placeholder.
    package var look: ItemLook?
    /// When a text of the row will be another one, in milliseconds since 1970; nil: never.
    var changesAt: Int?

    init(_ id: RowID, _ rectangle: Rectangle, look: ItemLook? = nil) {
        self.id = id
        self.rectangle = rectangle
        self.look = look
        changesAt = look?.changesAt
    }

    func moved(by lines: Int) -> Frame {
        var moved = self
        moved.rectangle.row += lines
        moved.text?.row += lines
        for index in parts.indices { moved.parts[index].rectangle.row += lines }
        return moved
    }
}
