import Diffable

// The text of a command that describes the row under the cursor of a picker, to the right of the rows.

extension Viewer {
    /// The columns of the rows. The rest is for the preview and the line before it.
    var listColumns: Int {
        guard options.hasPreview, columns >= Self.previewedColumnsMin else { return columns }
        return columns - columns / 2
    }

    /// On a narrower screen, neither the rows nor the preview could be read.
    private static let previewedColumnsMin = 50

    mutating func askForPreview() {
        guard listColumns < columns else { return }
        let item = pane.cursor?.item.flatMap(pane.picked)
        if let item, let old = previewedItem, item.list == old.list, item.item.record.isShared(with: old.item.record) {
            return
        }
        if item == nil, previewedItem == nil { return }
        previewedItem = item
        previewNumber += 1
        if item == nil { previewText = "" }
        append(.preview(number: previewNumber))
    }

    mutating func showPreview(_ text: String, _ number: Int) {
        guard number == previewNumber else { return }
        previewText = text
        setNeedsDrawing()
    }

    func drawPreview(into grid: inout Grid) {
        let line = options.symbols.frame.down
        for row in 0..<grid.rows {
            grid.put(String(line), row: row, column: listColumns, Style(.line))
        }
        let lines = previewText.split(separator: "\n", maxSplits: grid.rows, omittingEmptySubsequences: false)
        for (row, line) in lines.prefix(grid.rows).enumerated() {
            let text = fitted(harmlessText(expandingTabs(line)), columns: grid.columns - listColumns - 2)
            grid.put(text, row: row, column: listColumns + 2, Style())
        }
    }

    private func expandingTabs(_ line: Substring) -> String {
        var text = ""
        for character in line {
            if character == "\t" {
                text += String(repeating: " ", count: 8 - text.count % 8)
            } else {
                text.append(character)
            }
        }
        return text
    }
}
