extension Composer {
    /// The columns of each tab, empty for hidden tabs. The current tab is always visible, and the next one too if there is
    /// room. The first and the last column of the screen are for the marks of hidden tabs.
    var tabRanges: [Range<Int>] {
        let limit = max(columns / max(viewport.tabs.count, 1), 8)
        let room = max(columns - 2, 1)
        let widths = viewport.tabs.map { tab in
            min(columnCount(of: harmlessText(tab), limit: limit) + 2, limit + 2, room)
        }
        func width(_ tabs: ClosedRange<Int>) -> Int { widths[tabs].reduce(0, +) + tabs.count - 1 }
        let current = viewport.selectedTab
        let last = min(current + 1, widths.count - 1)
        let first =
            (0...current).first { width($0...last) <= room } ?? (0...current).first { width($0...current) <= room }
            ?? current
        var start = 1
        return widths.indices.map { tab in
            guard tab >= first, start + widths[tab] <= room + 1 else {
                if tab >= first { start = columns }
                return 0..<0
            }
            defer { start += widths[tab] + 1 }
            return start..<start + widths[tab]
        }
    }

    var shownTabs: ClosedRange<Int> {
        let shown = tabRanges.indices.filter { !tabRanges[$0].isEmpty }
        return (shown.first ?? viewport.selectedTab)...(shown.last ?? viewport.selectedTab)
    }

    func tab(at column: Int) -> Int? {
        let shown = shownTabs
        if column == 0, shown.lowerBound > 0 { return shown.lowerBound - 1 }
        if column == columns - 1, shown.upperBound < viewport.tabs.count - 1 { return shown.upperBound + 1 }
        return tabRanges.firstIndex { $0.contains(column) }
    }
}

extension Scene {
    func drawSurroundings(_ canvas: inout Canvas, _ decoration: Decoration) {
        let columns = 0..<canvas.grid.columns
        if let row = regions.tabs { drawTabs(&canvas, row, hasFocus: decoration.hasFocus) }
        if let row = regions.banner, let banner = composer.viewport.banner {
            let style = Style(.onTint, on: .tint(.orange), .bold)
            canvas.grid.clear(rows: row..<row + 1, columns: columns, style)
            let text = fitted(harmlessText(banner), columns: canvas.grid.columns - 4)
            canvas.put("\(composer.symbols.urgent) \(text)", row: row, column: 1, limit: canvas.grid.columns, style)
        }
        if decoration.showsStatus, let row = regions.status, let status = composer.viewport.status {
            drawStatus(status, &canvas, row, decoration)
        }
    }

    /// Draws a status line in the last row of a grid on which this scene begins at a row.
    package func drawStatus(_ status: StatusLine, into grid: inout Grid, _ decoration: Decoration, offset: Int) {
        var canvas = Canvas(grid: grid, symbols: composer.symbols, rows: 0..<grid.rows)
        drawStatus(status, &canvas, grid.rows - 1, decoration, offset: offset)
        grid = canvas.grid
        if let place = cursor(in: status, row: grid.rows - 1) {
            grid.cursor = Grid.Position(column: min(place.column, grid.columns - 1), row: place.row)
        }
    }

    private func drawStatus(
        _ status: StatusLine, _ canvas: inout Canvas, _ row: Int, _ decoration: Decoration, offset: Int = 0
    ) {
        if status.trailing.isEmpty, status.cursor == nil {
            let focused = decoration.focused.flatMap { frame(of: $0) }?.rectangle.rows.upperBound
            drawMessage(status, &canvas, row, below: offset + (focused ?? regions.rows.lowerBound))
        } else {
            drawStatus(status, &canvas, row)
        }
    }

    /// Where text is typed into a status line.
    func cursor(in status: StatusLine, row: Int) -> Grid.Position? {
        status.cursor.map { typed in
            let text = harmlessText(String(status.leading.prefix(max(typed, 0))))
            return Grid.Position(column: 1 + columnCount(of: text), row: row)
        }
    }

    private func drawTabs(_ canvas: inout Canvas, _ row: Int, hasFocus: Bool) {
        let bar = Style(.secondary, on: .bar)
        canvas.grid.clear(rows: row..<row + 1, columns: 0..<canvas.grid.columns, bar)
        let shown = composer.shownTabs
        let mark = Style(.tint(.accent), on: .bar, .bold)
        if shown.lowerBound > 0 {
            canvas.put(String(composer.symbols.back), row: row, column: 0, limit: 1, mark)
        }
        if shown.upperBound < composer.viewport.tabs.count - 1 {
            let last = canvas.grid.columns - 1
            canvas.put(String(composer.symbols.chevron), row: row, column: last, limit: last + 1, mark)
        }
        for (index, range) in composer.tabRanges.enumerated() where range.count > 2 {
            let isSelected = index == composer.viewport.selectedTab
            let selected = hasFocus ? Style(.text, on: .base, [.bold, .underline]) : Style(.secondary, on: .base)
            let style = isSelected ? selected : bar
            let title = fitted(harmlessText(composer.viewport.tabs[index]), columns: range.count - 2)
            canvas.grid.clear(rows: row..<row + 1, columns: range, isSelected ? Style(.text, on: .base) : bar)
            canvas.put(title, row: row, column: range.lowerBound + 1, limit: range.upperBound, style)
        }
    }

    /// A message ends with the remedy, so it is not cut: it covers the last rows while it is shown, but not the row under the
    /// cursor.
    private func drawMessage(_ status: StatusLine, _ canvas: inout Canvas, _ row: Int, below top: Int) {
        let columns = canvas.grid.columns
        let sign = status.isError ? "\(composer.symbols.urgent) " : ""
        let lines = wrapped(
            sign + harmlessText(status.leading), columns: max(columns - 2, 1), lines: min(max(row + 1 - top, 1), 4))
        let style = status.isError ? Style(.tint(.red), on: .bar, .bold) : Style(.secondary, on: .bar)
        for (index, line) in lines.enumerated() {
            let row = row - (lines.count - 1 - index)
            canvas.grid.clear(rows: row..<row + 1, columns: 0..<columns, style)
            canvas.put(line, row: row, column: 1, limit: columns, style)
        }
        if lines.isEmpty { canvas.grid.clear(rows: row..<row + 1, columns: 0..<columns, style) }
    }

    private func drawStatus(_ status: StatusLine, _ canvas: inout Canvas, _ row: Int) {
        let style = Style(.secondary, on: .bar)
        let columns = canvas.grid.columns
        canvas.grid.clear(rows: row..<row + 1, columns: 0..<columns, style)
        let trailing = wholeParts(of: harmlessText(status.trailing), columns: columns / 2)
        let end = columns - 1 - columnCount(of: trailing)
        let ink: ForegroundRole = status.cursor == nil ? .secondary : .text
        let leading = fitted(harmlessText(status.leading), columns: max(end - 2, 0))
        canvas.put(leading, row: row, column: 1, limit: max(end - 1, 1), Style(ink, on: .bar))
        canvas.put(trailing, row: row, column: max(end, 0), limit: columns, style)
        let start = 1 + columnCount(of: leading) + 2
        if start < end { drawHints(status.hints, &canvas, row, start..<end) }
    }

    /// The first of the parts, which two blanks separate; the first one is cut if even it is too wide.
    private func wholeParts(of text: String, columns: Int) -> String {
        let parts = text.split(separator: "  ")
        var kept = fitted(String(parts.first ?? ""), columns: columns)
        for part in parts.dropFirst() {
            let longer = kept + "  " + part
            guard columnCount(of: longer, limit: columns + 1) <= columns else { break }
            kept = longer
        }
        return kept
    }

    /// Draws whole hints before the end of the columns.
    private func drawHints(_ hints: [StatusLine.Hint], _ canvas: inout Canvas, _ row: Int, _ columns: Range<Int>) {
        var shown: [(key: String, title: String, width: Int)] = []
        var room = columns.count
        for hint in hints {
            let title = harmlessText(hint.title)
            let width = columnCount(of: hint.key) + 1 + columnCount(of: title, limit: columns.count) + 2
            guard width <= room else { break }
            shown.append((hint.key, title, width))
            room -= width
        }
        var column = columns.lowerBound + room
        for hint in shown {
            canvas.put(hint.key, row: row, column: column, limit: columns.upperBound, Style(.text, on: .bar, .bold))
            canvas.put(
                hint.title, row: row, column: column + columnCount(of: hint.key) + 1, limit: columns.upperBound,
                Style(.secondary, on: .bar))
            column += hint.width
        }
    }
}
