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

    func moved(by lines: Int) -> Rectangle {
        var moved = self
        moved.row += lines
        return moved
    }
}
