import DiffableTerminal
import DiffableView
import Testing

@Suite struct DifficultTextTests {
    /// Text after a difficult text is in its column.
    @Test(arguments: DifficultTexts.all)
    func `a column behind a difficult text is straight`(text: String) {
        let screen = VtermScreen(columns: 60, rows: 3)
        var writer = ScreenWriter(abilities: TerminalAbilities())
        var grid = Grid(columns: 60, rows: 3)
        for row in 0..<3 {
            grid.put("plain", row: row, column: 2, Style())
            grid.put("│", row: row, column: 40, Style())
        }
        screen.write(writer.bytes(showing: grid))
        grid.put(text, row: 1, column: 1, limit: 40, Style())
        grid.put("│after", row: 1, column: 40, Style())
        screen.write(writer.bytes(showing: grid))
        for row in 0..<3 { #expect(screen.cell(row, 40).text == "│") }
        #expect(screen.difference(from: grid, palette: writer.palette) == nil)
        // When the text is removed, nothing of it stays.
        grid.clear(rows: 1..<2, columns: 0..<40, Style())
        screen.write(writer.bytes(showing: grid))
        #expect(screen.difference(from: grid, palette: writer.palette) == nil)
        #expect((0..<40).allSatisfy { screen.cell(1, $0).text == " " })
    }
}
