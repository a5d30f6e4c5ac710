package struct Rectangle: Hashable, Sendable {
    package var column: Int
    package var row: Int
    package var width: Int
    package var height: Int

    package init(column: Int, row: Int, width: Int, height: Int) {
        self.column = column
        self.row = row
        self.width = width
        self.height = height
    }

    package var columns: Range<Int> { column..<column + max(width, 0) }
    package var rows: Range<Int> { row..<row + max(height, 0) }

    package func contains(_ position: Grid.Position) -> Bool {
        columns.contains(position.column) && rows.contains(position.row)
    }

    func moved(by lines: Int, columns: Int = 0) -> Rectangle {
        var moved = self
        moved.row += lines
        moved.column += columns
        return moved
    }

    /// The part of it that is inside of another one.
    func clipped(to other: Rectangle) -> Rectangle {
        let columns = columns.clamped(to: other.columns)
        let rows = rows.clamped(to: other.rows)
        return Rectangle(column: columns.lowerBound, row: rows.lowerBound, width: columns.count, height: rows.count)
    }
}
