/// A vertical unit of a list: a row, a line of cards, a header. It is measured and drawn from the same runs, so its height
/// always matches its picture.
struct Block: Sendable {
    struct Run: Sendable {
        var text: String
        var column: Int
        var line: Int
        var limit: Int
        var style: Style
    }

    struct Fill: Sendable {
        var rectangle: Rectangle
        var style: Style
    }

    var height: Int
    /// The ground of the whole block, across the screen.
    var page: BackgroundRole
    var fills: [Fill] = []
    var runs: [Run] = []
    /// Lines are counted from the block's first one.
    var frames: [Frame] = []
    /// The place of the text of a new row that is typed.
    var field: Rectangle?

    init(height: Int, page: BackgroundRole) {
        self.height = height
        self.page = page
    }

    /// Adds another block below, without its frames.
    mutating func append(_ other: Block) {
        for var run in other.runs {
            run.line += height
            runs.append(run)
        }
        for var fill in other.fills {
            fill.rectangle.row += height
            fills.append(fill)
        }
        height += other.height
    }

    mutating func add(_ text: String, line: Int, columns: Range<Int>, _ style: Style) {
        guard !columns.isEmpty, !text.isEmpty else { return }
        runs.append(
            Run(text: text, column: columns.lowerBound, line: line, limit: columns.upperBound, style: style))
    }

    mutating func add(_ character: Character, line: Int, column: Int, _ style: Style) {
        add(String(character), line: line, columns: column..<column + 2, style)
    }

    mutating func addRule(_ character: Character, line: Int, columns: Range<Int>, _ style: Style) {
        add(String(repeating: character, count: columns.count), line: line, columns: columns, style)
    }

    mutating func fill(lines: Range<Int>, columns: Range<Int>, _ style: Style) {
        guard !lines.isEmpty, !columns.isEmpty else { return }
        fills.append(
            Fill(
                rectangle: Rectangle(
                    column: columns.lowerBound, row: lines.lowerBound, width: columns.count, height: lines.count),
                style: style))
    }

    mutating func addFrame(_ frame: Symbols.Frame, _ rectangle: Rectangle, _ style: Style, clip: Int = .max) {
        let columns = rectangle.columns
        guard rectangle.width > 1, rectangle.height > 1 else { return }
        let last = columns.upperBound - 1
        let inner = String(repeating: frame.across, count: rectangle.width - 2)
        let limited = columns.lowerBound..<min(columns.upperBound, clip)
        add(
            "\(frame.topLeft)\(inner)\(frame.topRight)", line: rectangle.row, columns: limited, style)
        for line in rectangle.rows.dropFirst().dropLast() {
            add(frame.down, line: line, column: columns.lowerBound, style)
            if last < clip { add(frame.down, line: line, column: last, style) }
        }
        add(
            "\(frame.bottomLeft)\(inner)\(frame.bottomRight)", line: rectangle.rows.upperBound - 1, columns: limited,
            style)
    }
}
