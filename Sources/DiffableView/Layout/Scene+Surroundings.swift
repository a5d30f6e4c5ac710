// What stands around the rows: tabs, the banner, the status line.

extension Composer {
    /// Where each tab is, across the screen; those that do not fit are empty.
    var tabRanges: [Range<Int>] {
        var start = 1
        let limit = max(columns / max(viewport.tabs.count, 1), 8)
        return viewport.tabs.map { tab in
            let width = min(columnCount(of: harmlessText(tab), limit: limit), limit) + 2
            let range = min(start, columns)..<min(start + width, columns)
            start += width + 1
            return range
        }
    }
}

extension Scene {
    func drawSurroundings(_ canvas: inout Canvas, _ decoration: Decoration) {
        let columns = 0..<canvas.grid.columns
        if let row = surroundings.tabs { drawTabs(&canvas, row) }
        if let row = surroundings.banner, let banner = composer.viewport.banner {
            let style = Style(.onTint, on: .tint(.orange), .bold)
            canvas.grid.clear(rows: row..<row + 1, columns: columns, style)
            let text = fitted(harmlessText(banner), columns: canvas.grid.columns - 4)
            canvas.put("\(composer.symbols.urgent) \(text)", row: row, column: 1, limit: canvas.grid.columns, style)
        }
        if let row = surroundings.status, let status = composer.viewport.status {
            if status.trailing.isEmpty, status.cursor == nil {
                drawMessage(status.leading, &canvas, row, below: decoration.focused)
            } else {
                drawStatus(status, &canvas, row)
            }
        }
    }

    private func drawTabs(_ canvas: inout Canvas, _ row: Int) {
        let bar = Style(.secondary, on: .bar)
        canvas.grid.clear(rows: row..<row + 1, columns: 0..<canvas.grid.columns, bar)
        for (index, range) in composer.tabRanges.enumerated() where range.count > 2 {
            let isSelected = index == composer.viewport.selectedTab
            let style = isSelected ? Style(.text, on: .base, [.bold, .underline]) : bar
            let title = fitted(harmlessText(composer.viewport.tabs[index]), columns: range.count - 2)
            canvas.grid.clear(rows: row..<row + 1, columns: range, isSelected ? Style(.text, on: .base) : bar)
            canvas.put(title, row: row, column: range.lowerBound + 1, limit: range.upperBound, style)
        }
    }

    /// A message ends with what to do, so it is not cut: it lies over the last rows for as long as it is there, but not over the one
    /// under the cursor.
    private func drawMessage(_ text: String, _ canvas: inout Canvas, _ row: Int, below focused: RowID?) {
        let columns = canvas.grid.columns
        let top = focused.flatMap { frame(of: $0) }?.rectangle.rows.upperBound ?? surroundings.rows.lowerBound
        let lines = wrapped(harmlessText(text), columns: max(columns - 2, 1), lines: min(max(row + 1 - top, 1), 4))
        let style = Style(.secondary, on: .bar)
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
        let trailing = fitted(harmlessText(status.trailing), columns: columns / 2)
        let end = columns - 1 - columnCount(of: trailing)
        let ink: Ink = status.cursor == nil ? .secondary : .text
        let leading = fitted(harmlessText(status.leading), columns: max(end - 2, 0))
        canvas.put(leading, row: row, column: 1, limit: max(end - 1, 1), Style(ink, on: .bar))
        canvas.put(trailing, row: row, column: max(end, 0), limit: columns, style)
    }
}
