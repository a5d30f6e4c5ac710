import DiffableView
import TestSupport

/// Random frames: texts, colours, moved rows, wide and doubtful clusters, and cursors anywhere.
struct RandomGrid {
    var grid: Grid
    var random: SplitMix64
    /// Whether rows may move as a whole.
    var scrolls = true

    init(columns: Int, rows: Int, random: SplitMix64) {
        self.random = random
        grid = Grid(columns: columns, rows: rows)
    }

    private static let texts = [
        "a", "hello", "  two  words ", "12", "日本語", "한글", "é", "e\u{301}o\u{308}", "👍", "🎉x", "👨‍👩‍👧‍👦", "🇩🇪", "❤️", "☂",
        "नमस्ते", "مرحبا", "▸ row", "──────", "│", "✓", "ＡＢ", "x\u{300}\u{301}", "½→…", "\u{1F3F4}",
        "                    ",
    ]
    private static let inks: [ForegroundRole] = [
        .text, .secondary, .tertiary, .onTint, .tint(.accent), .tint(.red), .tint(.exact(red: 1, green: 200, blue: 30)),
    ]
    private static let grounds: [BackgroundRole] = [.base, .base, .group, .selected, .changed, .badge, .tint(.green)]

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func style() -> Style {
        var style = Style(Self.inks[number(0..<Self.inks.count)], on: Self.grounds[number(0..<Self.grounds.count)])
        if number(0..<3) == 0 { style.attributes = Style.Attributes(rawValue: UInt8(number(0..<64))) }
        return style
    }

    /// Makes the next frame from this one.
    mutating func advance() {
        var next = grid
        next.scroll = nil
        for _ in 0..<number(1..<8) { change(&next) }
        next.cursor =
            number(0..<5) == 0
            ? nil : Grid.Position(column: number(-1..<next.columns + 1), row: number(0..<next.rows))
        grid = next
    }

    private mutating func change(_ next: inout Grid) {
        let row = number(0..<next.rows)
        let column = number(0..<next.columns)
        switch number(0..<(scrolls ? 9 : 7)) {
        case 0...3: next.put(Self.texts[number(0..<Self.texts.count)], row: row, column: column, style())
        case 4:
            let style = style()
            next.restyle(rows: row..<row + 1, columns: column..<next.columns) { $0 = style }
        case 5: next.clear(rows: row..<row + number(1..<3), columns: column..<column + number(1..<20), style())
        case 6:
            for column in stride(from: 0, to: next.columns, by: 7) {
                next.put(Self.texts[number(0..<Self.texts.count)], row: row, column: column, style())
            }
        case 7 where number(0..<20) == 0:
            // A new grid has nothing in common with the earlier frames.
            next = Grid(columns: next.columns, rows: next.rows)
        default: scroll(&next)
        }
    }

    private mutating func scroll(_ next: inout Grid) {
        let old = next
        let first = number(0..<next.rows)
        let rows = first..<number(first + 1..<next.rows + 1)
        let distance = number(-3..<4)
        for row in rows where rows.contains(row + distance) {
            next.copyRows(row + distance..<row + distance + 1, of: old, to: row)
        }
        if number(0..<3) == 0 {
            next.scroll = Grid.Scroll(rows: rows, distance: number(0..<4) == 0 ? -distance : distance)
        }
    }
}
