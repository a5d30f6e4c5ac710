import DiffableTerminal
import DiffableView
import Testing

@Suite struct ScreenWriterTests {
    private static let columns = 200
    private static let rows = 50

    private var abilities: TerminalAbilities {
        var abilities = TerminalAbilities()
        abilities.colours = .exact
        return abilities
    }

    /// Returns a typical page of a list between a bar and a status line: titles, notes, badges at the right.
    private func page(from first: Int, selected: Int?, after previous: Grid? = nil) -> Grid {
        var grid =
            previous.map { Grid(columns: Self.columns, rows: Self.rows, after: $0) }
            ?? Grid(columns: Self.columns, rows: Self.rows)
        grid.clear(rows: 0..<1, columns: 0..<Self.columns, Style(on: .bar))
        grid.put(" Inbox", row: 0, column: 0, Style(.text, on: .bar, .bold))
        for row in 1..<Self.rows - 1 {
            let item = first + row - 1
            let ground: BackgroundRole = item == selected ? .selected : .base
            grid.clear(rows: row..<row + 1, columns: 0..<Self.columns, Style(on: ground))
            grid.put("Message number \(item)", row: row, column: 3, Style(.text, on: ground))
            grid.put("from somebody", row: row, column: 40, Style(.secondary, on: ground))
            grid.put("\(item * 7 % 100)", row: row, column: 193, Style(.secondary, on: ground))
            grid.put("›", row: row, column: 198, Style(.tertiary, on: ground))
        }
        grid.put("q quit", row: Self.rows - 1, column: 1, Style(.secondary))
        grid.cursor = selected.map { Grid.Position(column: 3, row: $0 - first + 1) }
        return grid
    }

    @Test(arguments: [true, false])
    func `a line scrolled is at most 150 bytes`(synchronizes: Bool) {
        for step in [1, -1] {
            var writer = ScreenWriter(abilities: abilities)
            writer.synchronizesOutput = synchronizes
            let screen = VtermScreen(columns: Self.columns, rows: Self.rows)
            let first = page(from: 100, selected: nil)
            screen.write(writer.bytes(showing: first))
            let second = page(from: 100 + step, selected: nil, after: first)
            let bytes = writer.bytes(showing: second)
            #expect(bytes.count <= 150, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
            screen.write(bytes)
            #expect(screen.difference(from: second, palette: writer.palette) == nil)
        }
    }

    /// Each row differs from the next in a digit, and the cursor motions to it are most of the bytes.
    @Test func `a line scrolled of rows that are nearly the same is at most 150 bytes`() {
        func page(from first: Int) -> Grid {
            var grid = Grid(columns: Self.columns, rows: Self.rows)
            for row in 0..<Self.rows { grid.put("Row \(first + row) of the list.", row: row, column: 1, Style(.text)) }
            return grid
        }
        var writer = ScreenWriter(abilities: abilities)
        _ = writer.bytes(showing: page(from: 120))
        let bytes = writer.bytes(showing: page(from: 121))
        #expect(bytes.count <= 150, "\(bytes.count): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
    }

    @Test(arguments: [true, false])
    func `the cursor's way to the next row is at most 250 bytes`(synchronizes: Bool) {
        var writer = ScreenWriter(abilities: abilities)
        writer.synchronizesOutput = synchronizes
        let first = page(from: 0, selected: 10)
        _ = writer.bytes(showing: first)
        let bytes = writer.bytes(showing: page(from: 0, selected: 11, after: first))
        #expect(bytes.count <= 250, "\(bytes.count): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
    }

    @Test func `the same frame again is no byte`() {
        var writer = ScreenWriter(abilities: abilities)
        let grid = page(from: 0, selected: 3)
        #expect(!writer.bytes(showing: grid).isEmpty)
        #expect(writer.bytes(showing: grid) == [])
    }

    @Test func `a cursor that moved is only moved`() {
        var writer = ScreenWriter(abilities: abilities)
        var grid = page(from: 0, selected: 3)
        _ = writer.bytes(showing: grid)
        grid.cursor?.row += 1
        #expect(writer.bytes(showing: grid) == [0x0A])
    }

    @Test func `frames with other tables of clusters are compared by what they show`() {
        func grid(_ name: String) -> Grid {
            var grid = Grid(columns: 40, rows: 3)
            grid.put("e\u{301}\u{302} 👨‍👩‍👧‍👦 \(name)", row: 1, column: 2, Style())
            return grid
        }
        var writer = ScreenWriter(abilities: abilities)
        _ = writer.bytes(showing: grid("a"))
        #expect(writer.bytes(showing: grid("a")) == [])
        #expect(writer.bytes(showing: grid("b")).count < 30)
    }

    @Test func `another palette draws everything anew`() {
        var writer = ScreenWriter(abilities: abilities)
        let screen = VtermScreen(columns: Self.columns, rows: Self.rows)
        let grid = page(from: 0, selected: 3)
        screen.write(writer.bytes(showing: grid))
        writer.palette = Palette(depth: .exact, background: .white)
        screen.write(writer.bytes(showing: grid))
        #expect(screen.difference(from: grid, palette: writer.palette) == nil)
    }

    @Test func `nothing is cleared, whole screens are drawn over`() {
        var writer = ScreenWriter(abilities: abilities)
        let text = String(decoding: writer.bytes(showing: page(from: 0, selected: 3)), as: UTF8.self)
        #expect(!text.contains(#/\x1B\[\d?J/#))
    }
}
