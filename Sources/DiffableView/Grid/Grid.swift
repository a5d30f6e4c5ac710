/// The content of a terminal: rows of cells, and the position of the cursor. A value that is cheap to make and to compare row by
/// row. Regardless of its input, it contains no control character, no half of a wide cluster, and nothing outside of its bounds.
package struct Grid: Sendable {
    package struct Position: Hashable, Sendable {
        package var column: Int
        package var row: Int

        package init(column: Int, row: Int) {
            self.column = column
            self.row = row
        }
    }

    /// Marks rows that have the content of other rows of the previous frame, so that a terminal may move them.
    package struct Scroll: Hashable, Sendable {
        package var rows: Range<Int>
        /// The number of rows by which the content moved up; negative for down.
        package var distance: Int

        package init(rows: Range<Int>, distance: Int) {
            self.rows = rows
            self.distance = distance
        }
    }

    package let columns: Int
    package let rows: Int
    package private(set) var cells: [Cell]
    /// On the focused row, where screen readers and braille displays look.
    package var cursor: Position?
    /// A hint for the writer; the cells alone determine the picture.
    package var scroll: Scroll?
    private let clusters: ClusterTable

    /// Blank. A size below one becomes one.
    package init(columns: Int, rows: Int) { self.init(columns: columns, rows: rows, clusters: ClusterTable()) }

    /// Blank. It shares the clusters of the previous frame.
    package init(columns: Int, rows: Int, after previous: Grid) {
        let clusters = previous.clusters
        self.init(columns: columns, rows: rows, clusters: clusters.isNearlyFull ? ClusterTable() : clusters)
    }

    private init(columns: Int, rows: Int, clusters: ClusterTable) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
        self.clusters = clusters
        cells = [Cell](repeating: .blank(Style()), count: self.columns * self.rows)
    }

    package subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

    package func row(_ row: Int) -> ArraySlice<Cell> { cells[row * columns..<(row + 1) * columns] }
}

// MARK: - Drawing

extension Grid {
    /// Draws a cluster and returns the number of its columns. Draws nothing if the cluster does not fit or is outside. The
    /// remaining half of an overwritten wide cluster becomes blank.
    @discardableResult
    package mutating func put(_ cluster: Cluster, row: Int, column: Int, _ style: Style) -> Int {
        guard row >= 0, row < rows, column >= 0, column + cluster.width <= columns else { return 0 }
        let index = row * columns + column
        let cell: Cell
        switch cluster.contents {
        case .scalar(let scalar):
            cell = Cell(scalar: scalar, width: cluster.width, isDoubtful: cluster.isDoubtful, style: style)
        case .sequence(let text):
            guard let sequence = clusters.index(of: text) else {
                return put(.replacement, row: row, column: column, style)
            }
            cell = Cell(sequence: sequence, width: cluster.width, isDoubtful: cluster.isDoubtful, style: style)
        }
        blankCut(before: index, row: row)
        blankCut(before: index + cluster.width, row: row)
        cells[index] = cell
        if cluster.width == 2 { cells[index + 1] = .continuation(style) }
        return cluster.width
    }

    /// Blanks a wide cluster that a cut before this index would split.
    private mutating func blankCut(before index: Int, row: Int) {
        guard index < (row + 1) * columns, cells[index].isContinuation else { return }
        cells[index - 1] = .blank(cells[index - 1].style)
        cells[index] = .blank(cells[index].style)
    }

    @discardableResult
    package mutating func put(_ text: String, row: Int, column: Int, limit: Int = .max, _ style: Style) -> Int {
        var column = column
        for cluster in Clusters(text) {
            guard column + cluster.width <= min(limit, columns) else { break }
            // The part to the left of the grid is skipped.
            if column >= 0 { put(cluster, row: row, column: column, style) }
            column += cluster.width
        }
        return column
    }

    package mutating func clear(rows: Range<Int>, columns: Range<Int>, _ style: Style) {
        let columns = columns.clamped(to: 0..<self.columns)
        guard !columns.isEmpty else { return }
        for row in rows.clamped(to: 0..<self.rows) {
            let start = row * self.columns
            blankCut(before: start + columns.lowerBound, row: row)
            blankCut(before: start + columns.upperBound, row: row)
            for column in columns { cells[start + column] = .blank(style) }
        }
    }

    /// Changes the styles of the cells of a rectangle, not their text.
    package mutating func restyle(rows: Range<Int>, columns: Range<Int>, _ change: (inout Style) -> Void) {
        let columns = columns.clamped(to: 0..<self.columns)
        for row in rows.clamped(to: 0..<self.rows) {
            for column in columns { change(&cells[row * self.columns + column].style) }
        }
    }

    /// Moves the content of a rectangle to the right, up to its end, and leaves blanks.
    package mutating func shift(rows: Range<Int>, columns: Range<Int>, by count: Int) {
        let columns = columns.clamped(to: 0..<self.columns)
        guard count > 0, count <= columns.count else { return }
        for row in rows.clamped(to: 0..<self.rows) {
            let start = row * self.columns
            for cut in [columns.lowerBound, columns.upperBound - count, columns.upperBound] {
                blankCut(before: start + cut, row: row)
            }
            for column in (columns.lowerBound + count..<columns.upperBound).reversed() {
                cells[start + column] = cells[start + column - count]
            }
            for column in columns.prefix(count) { cells[start + column] = .blank(cells[start + column].style) }
        }
    }

    package mutating func copyRows(_ rows: Range<Int>, of other: Grid, to row: Int, column start: Int = 0) {
        for (offset, source) in rows.clamped(to: 0..<other.rows).enumerated() where row + offset < self.rows {
            for column in 0..<min(columns - start, other.columns) {
                var cell = other[source, column]
                if let index = cell.sequenceIndex, clusters !== other.clusters {
                    cell =
                        clusters.index(of: other.clusters[index]).map {
                            Cell(sequence: $0, width: cell.width, isDoubtful: cell.isDoubtful, style: cell.style)
                        } ?? .blank(cell.style)
                }
                cells[(row + offset) * columns + start + column] = cell
            }
        }
    }
}

// MARK: - Reading

extension Grid {
    /// The cluster of a cell; empty in the second column of a wide one.
    package func text(of cell: Cell) -> String {
        if let scalar = cell.scalar { return String(scalar) }
        return cell.sequenceIndex.map { clusters[$0] } ?? ""
    }

    package func append(_ cell: Cell, to bytes: inout [UInt8]) {
        if let scalar = cell.scalar {
            if scalar.isASCII {
                bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar)!)
            }
        } else if let index = cell.sequenceIndex {
            bytes.append(contentsOf: clusters[index].utf8)
        }
    }

    /// Whether a row looks the same as a row of another grid. O(columns), as bytes if both share their clusters.
    package func isRow(_ row: Int, equalTo otherRow: Int, of other: Grid) -> Bool {
        guard columns == other.columns else { return false }
        if clusters === other.clusters { return self.row(row).elementsEqual(other.row(otherRow)) }
        return zip(self.row(row), other.row(otherRow)).allSatisfy { ours, theirs in
            isCell(ours, equalTo: theirs, of: other)
        }
    }

    /// Whether equal cells of both look the same, so that they can be compared as bytes.
    package func sharesClusters(with other: Grid) -> Bool { clusters === other.clusters }

    package func isCell(_ cell: Cell, equalTo theirs: Cell, of other: Grid) -> Bool {
        guard clusters !== other.clusters, cell.sequenceIndex != nil || theirs.sequenceIndex != nil else {
            return cell == theirs
        }
        return cell.style == theirs.style && cell.width == theirs.width && cell.isDoubtful == theirs.isDoubtful
            && text(of: cell).utf8.elementsEqual(other.text(of: theirs).utf8)
    }
}
