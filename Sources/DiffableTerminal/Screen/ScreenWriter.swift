package import DiffableView

/// Encodes the bytes that change the terminal's screen from the last grid to the next one.
///
/// The bytes of a frame are meant for one call of `write`. Nothing is cleared before it is drawn: each cell changes directly to
/// its new content, so a terminal that draws early shows a mixture but never a gap. The terminal itself moves rows. Terminals
/// with synchronized output (mode 2026) draw everything at once.
///
/// Terminals disagree on the width of some clusters. Such a cluster is drawn on blanks, the next position is set absolutely, and
/// the cells that it may have covered are drawn again. So everything else stays in its column.
package struct ScreenWriter: Sendable {
    package var palette: Palette {
        didSet { if palette != oldValue { (pens, shown) = ([:], nil) } }
    }
    /// Whether the terminal reported that it supports mode 2026.
    package var synchronizesOutput = false
    private let erasesWithGround: Bool
    /// The grid on the terminal's screen; nil when unknown, as at startup.
    private var shown: Grid?
    private var isCursorShown: Bool?
    /// The size for which the next frame has to make room on the terminal first; nil if there is room.
    private var newSize: TerminalSize?
    private var output: TerminalOutput
    private var pens: [Style: Pen] = [:]

    package init(abilities: TerminalAbilities) {
        palette = abilities.palette
        erasesWithGround = abilities.erasesWithGround
        output = TerminalOutput(isBelowLines: abilities.height != nil)
    }

    /// Draws the next frame completely, because another program has drawn.
    package mutating func invalidate() {
        shown = nil
        isCursorShown = nil
        newSize = nil
        output = TerminalOutput(isBelowLines: output.isBelowLines)
    }

    /// Draws the next frame completely, with room for a new size.
    package mutating func resize(to size: TerminalSize) {
        guard output.isBelowLines else { return invalidate() }
        shown = nil
        isCursorShown = nil
        newSize = size
    }

    /// - Returns: no bytes if the terminal shows this grid already.
    package mutating func bytes(showing grid: Grid) -> [UInt8] {
        let grid = sharingClusters(grid)
        let isKnown = shown.map { $0.columns == grid.columns && $0.rows == grid.rows } ?? false
        if shown != nil, !isKnown { resize(to: TerminalSize(columns: grid.columns, rows: grid.rows)) }
        if let newSize { output.makeRoom(newSize) }
        newSize = nil
        let isChanged = !isKnown || !Self.areEqual(shown?.cells ?? [], grid.cells, columns: grid.columns)
        if isChanged {
            if synchronizesOutput {
                output.append("\u{1B}[?2026h")
            } else if isCursorShown != false, grid.cursor != nil {
                show(cursor: false)
            }
            draw(grid)
        }
        place(grid.cursor.flatMap { grid.contains($0) ? $0 : nil })
        if isChanged, synchronizesOutput { output.append("\u{1B}[?2026l") }
        shown = grid
        return output.takeBytes()
    }

    /// Returns the grid with the shown grid's table of clusters, because only cells with the same table can be compared as
    /// bytes.
    private func sharingClusters(_ grid: Grid) -> Grid {
        guard let shown, !grid.sharesClusters(with: shown) else { return grid }
        var copy = Grid(columns: grid.columns, rows: grid.rows, after: shown)
        // The old table is full, so everything is drawn with the new one.
        guard copy.sharesClusters(with: shown) else { return grid }
        copy.copyRows(0..<grid.rows, of: grid, to: 0)
        copy.cursor = grid.cursor
        copy.scroll = grid.scroll
        return copy
    }

    private static func areEqual(_ old: [Cell], _ new: [Cell], columns: Int) -> Bool {
        withRows(old, new, columns: columns) { old, new in
            (0..<new.rows).allSatisfy { new.isRow($0, equalTo: $0, of: old) }
        }
    }

    private static func withRows<Result>(
        _ old: [Cell], _ new: [Cell], columns: Int, _ body: (CellRows, CellRows) -> Result
    ) -> Result {
        old.withUnsafeBufferPointer { old in
            new.withUnsafeBufferPointer { new in
                body(CellRows(cells: old, columns: columns), CellRows(cells: new, columns: columns))
            }
        }
    }

    private mutating func place(_ cursor: Grid.Position?) {
        guard let cursor else {
            if isCursorShown != false { show(cursor: false) }
            return
        }
        output.move(to: cursor)
        if isCursorShown != true { show(cursor: true) }
    }

    private mutating func show(cursor isShown: Bool) {
        output.append(isShown ? "\u{1B}[?25h" : "\u{1B}[?25l")
        isCursorShown = isShown
    }

    // MARK: Drawing

    private mutating func draw(_ grid: Grid) {
        guard let shown else {
            drawAll(grid)
            return
        }
        var old = shown.cells
        let hint = grid.scroll?.distance
        let move = Self.withRows(old, grid.cells, columns: grid.columns) {
            RowMove.best(from: $0, to: $1, hint: hint)
        }
        // Scrolling needs the numbers of the rows on the whole screen.
        if let move, !output.isBelowLines {
            append(move, rows: grid.rows)
            move.apply(to: &old, columns: grid.columns)
        }
        for row in 0..<grid.rows {
            let isSame = Self.withRows(old, grid.cells, columns: grid.columns) { $1.isRow(row, equalTo: row, of: $0) }
            if !isSame { drawRow(row, of: grid, over: old) }
        }
    }

    private mutating func drawAll(_ grid: Grid) {
        // The previous program may have left margins and a pen.
        if !output.isBelowLines { output.setMargin(above: nil) }
        output.set(.standard)
        for row in 0..<grid.rows { drawRow(row, of: grid, over: nil) }
    }

    /// Appends a move. Deleting and inserting lines scrolls everything below them up to the margin; every terminal supports
    /// that, and no row leaves for the scrollback.
    private mutating func append(_ move: RowMove, rows: Int) {
        // New rows get the background of the pen.
        output.set(.standard)
        let hasMargin = move.rows.upperBound < rows
        if hasMargin {
            output.setMargin(above: move.rows.upperBound)
        } else {
            output.forgetPosition()
        }
        output.move(to: Grid.Position(column: 0, row: move.rows.lowerBound))
        output.appendSequence(abs(move.distance), move.distance > 0 ? "M" : "L")
        if hasMargin { output.setMargin(above: nil) } else { output.forgetPosition() }
    }

    private mutating func drawRow(_ row: Int, of grid: Grid, over old: [Cell]?) {
        let start = row * grid.columns
        let columns = grid.columns
        let cells = grid.cells
        /// The terminal may have drawn over the cells up to this column.
        var doubtfulEnd = 0
        var column = 0
        while column < columns {
            let cell = cells[start + column]
            // Half of a wide cluster is drawn with the whole.
            if cell.isContinuation || !isDue(cell, old?[start + column], column < doubtfulEnd) {
                column += 1
                continue
            }
            if cell.isBlank {
                column += drawBlanks(
                    at: Grid.Position(column: column, row: row), of: grid, over: old, doubtfulEnd: doubtfulEnd)
                continue
            }
            approach(Grid.Position(column: column, row: row), of: grid)
            output.set(pen(cell.style))
            if cell.isDoubtful {
                output.writeBlanks(cell.width, columns: columns)
                output.move(to: Grid.Position(column: column, row: row))
            }
            draw(cell, at: column, of: grid, doubtfulEnd: &doubtfulEnd)
            column += cell.width
        }
    }

    private mutating func draw(_ cell: Cell, at column: Int, of grid: Grid, doubtfulEnd: inout Int) {
        guard cell.scalar == nil else {
            if cell.isDoubtful { doubtfulEnd = max(doubtfulEnd, column + 2) }
            return output.write(cell, of: grid)
        }
        let scalars = grid.text(of: cell).unicodeScalars
        if cell.isDoubtful { doubtfulEnd = max(doubtfulEnd, column + 2 * scalars.count) }
        // At the right edge some terminals wrap or replace the letter by its mark, so only the first scalar is written.
        let end = column + (cell.isDoubtful ? scalars.reduce(0) { $0 + $1.columnsMax } : cell.width)
        if end > grid.columns || column + cell.width == grid.columns, let first = scalars.first {
            output.write(first)
        } else {
            output.write(cell, of: grid)
        }
    }

    private mutating func isDue(_ cell: Cell, _ old: Cell?, _ isOverdrawn: Bool) -> Bool {
        guard let old, !isOverdrawn else { return true }
        if cell == old { return false }
        return !(cell.isBlank && old.isBlank && pen(cell.style).looksLike(pen(old.style)))
    }

    /// Draws a run of identical blanks from a column on, as far as one of them has changed, and returns the number of columns.
    private mutating func drawBlanks(
        at position: Grid.Position, of grid: Grid, over old: [Cell]?, doubtfulEnd: Int
    ) -> Int {
        let start = position.row * grid.columns
        var pen = pen(grid.cells[start + position.column].style)
        var end = position.column
        var dueEnd = position.column
        while end < grid.columns {
            let cell = grid.cells[start + end]
            guard cell.isBlank, self.pen(cell.style).looksLike(pen) else { break }
            if isDue(cell, old?[start + end], end < doubtfulEnd) { dueEnd = end + 1 }
            end += 1
        }
        let count = dueEnd - position.column
        approach(position, of: grid)
        // The ink is invisible on blanks, so it need not change.
        if let current = output.pen, !current.showsOnBlanks, !pen.showsOnBlanks {
            (pen.ink, pen.attributes) = (current.ink, current.attributes)
        }
        output.set(pen)
        let erases = !pen.showsOnBlanks && (erasesWithGround || pen.ground == .standard)
        if erases, dueEnd == grid.columns, count > 3 {
            output.append("\u{1B}[K")
        } else if erases, count > 9 {
            output.appendSequence(count, "X")
        } else {
            output.writeBlanks(count, columns: grid.columns)
        }
        return count
    }

    /// Moves the cursor, over a few plain letters by writing them again if that is shorter.
    private mutating func approach(_ target: Grid.Position, of grid: Grid) {
        if let position = output.position, position.row == target.row, 1...3 ~= target.column - position.column {
            let cells = grid.row(target.row).dropFirst(position.column).prefix(target.column - position.column)
            let isPlain = cells.allSatisfy { cell in
                (cell.scalar?.isASCII ?? false) && output.pen == pen(cell.style)
            }
            if isPlain { for cell in cells { output.write(cell, of: grid) } }
        }
        output.move(to: target)
    }

    private mutating func pen(_ style: Style) -> Pen {
        if let pen = pens[style] { return pen }
        // Contents can ask for any number of colours, so the cache is bounded.
        if pens.count >= Self.penCountMax { pens.removeAll() }
        let pen = palette.pen(style)
        pens[style] = pen
        return pen
    }

    private static let penCountMax = 4096
}

extension Grid {
    fileprivate func contains(_ position: Position) -> Bool {
        0..<rows ~= position.row && 0..<columns ~= position.column
    }
}

extension Unicode.Scalar {
    /// Returns the most columns that a terminal may give this scalar within a cluster.
    fileprivate var columnsMax: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: 0
        default: 2
        }
    }
}
