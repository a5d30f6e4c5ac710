import DiffableView
import TestSupport
import Testing

@Suite struct GridTests {
    @Test(arguments: [
        (0..<8, 2, "  ab日de"), (0..<8, 4, "    ab日"), (0..<8, 5, "     ab"), (2..<8, 1, "ab 日def"),
        (3..<8, 1, "ab   def"), (0..<8, 9, "ab日defg"),
    ])
    func `cells that are moved to the right leave blanks, and no half of a wide cluster`(
        columns: Range<Int>, count: Int, text: String
    ) {
        var grid = Grid(columns: 8, rows: 2)
        grid.put("ab日defg", row: 0, column: 0, Style())
        grid.shift(rows: 0..<1, columns: columns, by: count)
        #expect(grid.text.split(separator: "\n", omittingEmptySubsequences: false)[0] == text)
    }

    static let grounds: [BackgroundRole] = [
        .base, .page, .group, .header, .sidebar, .selected, .selectedUnfocused, .marked, .changed, .flashing, .bar,
        .badge,
        .overlay,
    ]
    static let tints: [Tint] = [
        .accent, .secondary, .red, .orange, .yellow, .green, .blue, .purple, .gray,
        .exact(red: 255, green: 0, blue: 127),
    ]

    @Test func `a style keeps its ink, its ground and its attributes`() {
        let inks: [ForegroundRole] = [.text, .secondary, .tertiary, .onTint] + Self.tints.map { .tint($0) }
        var styles: Set<Style> = []
        for ink in inks {
            for ground in Self.grounds + Self.tints.map({ .tint($0) }) {
                for attributes in [[], .bold, [.dim, .underline], .strikethrough] as [Style.Attributes] {
                    let style = Style(ink, on: ground, attributes)
                    #expect(style.ink == ink && style.ground == ground && style.attributes == attributes)
                    styles.insert(style)
                }
            }
        }
        #expect(styles.count == 14 * 23 * 4)
        #expect(MemoryLayout<Cell>.size == 16)
    }

    @Test func `a wide cluster takes two cells, and never one`() {
        var grid = Grid(columns: 4, rows: 1)
        grid.put("a漢字", row: 0, column: 0, Style())
        #expect(grid.text == "a漢\n")
        #expect(grid.row(0).map(\.width) == [1, 2, 0, 1])
        #expect(grid.put(Cluster("字")!, row: 0, column: 3, Style()) == 0)
    }

    @Test(arguments: 0..<4) func `what is drawn over half of a wide cluster blanks the other half`(column: Int) {
        var grid = Grid(columns: 4, rows: 1)
        grid.put("漢字", row: 0, column: 0, Style())
        grid.put("x", row: 0, column: column, Style())
        #expect(grid.text == ["x 字\n", " x字\n", "漢x\n", "漢 x\n"][column])
        grid.put("漢字", row: 0, column: 0, Style())
        grid.clear(rows: 0..<1, columns: column..<column + 1, Style())
        #expect(grid.text == ["  字\n", "  字\n", "漢\n", "漢\n"][column])
    }

    @Test func `nothing is drawn outside of the grid`() {
        var grid = Grid(columns: 3, rows: 2)
        for row in [-1, 2] { grid.put("abc", row: row, column: 0, Style()) }
        grid.put("abcdef", row: 0, column: -2, Style())
        grid.put("xyz", row: 1, column: 2, Style())
        grid.clear(rows: -5..<9, columns: 3..<9, Style())
        grid.restyle(rows: -5..<9, columns: -5..<9) { $0.ground = .bar }
        #expect(grid.text == "cde\n  x\n")
    }

    @Test func `rows are the same in grids with one table of clusters and with two`() {
        let first = drawn(Grid(columns: 8, rows: 1))
        let sharing = drawn(Grid(columns: 8, rows: 1, after: first))
        let apart = drawn(Grid(columns: 8, rows: 1))
        var other = Grid(columns: 8, rows: 1, after: first)
        other.put("ä👨‍👩‍👧", row: 0, column: 0, Style())
        for grid in [sharing, apart] { #expect(first.isRow(0, equalTo: 0, of: grid)) }
        #expect(!first.isRow(0, equalTo: 0, of: other) && !apart.isRow(0, equalTo: 0, of: other))
        var copy = Grid(columns: 8, rows: 1)
        copy.copyRows(0..<1, of: first, to: 0)
        #expect(copy.text == first.text)
    }

    private func drawn(_ empty: Grid) -> Grid {
        var grid = empty
        grid.put("e\u{301}👨‍👩‍👧🇩🇪", row: 0, column: 0, Style(.secondary))
        return grid
    }

    @Test func `clusters that are canonically equal stay different`() {
        var grid = Grid(columns: 2, rows: 1)
        let marks = ["a\u{323}\u{307}", "a\u{307}\u{323}"]
        #expect(marks[0] == marks[1])
        for (column, text) in marks.enumerated() { grid.put(text, row: 0, column: column, Style()) }
        #expect(grid.text(of: grid[0, 1]).unicodeScalars.elementsEqual(marks[1].unicodeScalars))
    }
}
