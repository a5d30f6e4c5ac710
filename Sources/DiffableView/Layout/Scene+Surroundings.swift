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
    func drawSurroundings(_ canvas: inout Canvas) {
        let columns = 0..<canvas.grid.columns
        if let row = surroundings.tabs { drawTabs(&canvas, row) }
        if let row = surroundings.banner, let banner = composer.viewport.banner {
            let style = Style(.onTint, on: .tint(.orange), .bold)
            canvas.grid.clear(rows: row..<row + 1, columns: columns, style)
            let text = fitted(harmlessText(banner), columns: canvas.grid.columns - 4)
            canvas.put("\(composer.symbols.urgent) \(text)", row: row, column: 1, limit: canvas.grid.columns, style)
        }
        if let row = surroundings.status, let status = composer.viewport.status {
            drawStatus(status, &canvas, row)
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
