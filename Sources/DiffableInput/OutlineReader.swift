import Diffable

/// Reads indented text: a line that is indented deeper than the one before it is its child.
///
/// Tabs, no-break spaces and the line drawing of `tree` count as indentation, including its ASCII form (`|-- a`). A line's id
/// is the path to it (`Fruit/Apple`), because a name that is unique among its siblings is rarely unique in the whole outline.
/// The summary that `tree` prints at the end (`2 directories, 3 files`) is left out.
struct OutlineReader {
    /// The lines that may be ancestors of the next one, outermost first.
    private var open: [(column: Int, path: [UInt8])] = []

    static func rows(in text: ArraySlice<UInt8>, _ limits: InputLimits = .none) throws(InputError) -> [Row] {
        var reader = OutlineReader()
        var rows = RowCollector(limits)
        var lines = Array(TextLines(text))
        if let last = lines.last, isSummary(last, after: lines.dropLast()) { lines.removeLast() }
        for (line, text) in lines { try rows.append(try reader.row(text, line: line)) }
        return rows.rows
    }

    /// Whether a line is the summary of `tree`: it follows a blank line, begins with a number and counts directories, in any
    /// language if the lines above it are drawn.
    private static func isSummary(
        _ last: (line: Int, text: ArraySlice<UInt8>), after lines: ArraySlice<(line: Int, text: ArraySlice<UInt8>)>
    ) -> Bool {
        guard let before = lines.last, last.line > before.line + 1 else { return false }
        let text = String(decoding: last.text, as: UTF8.self)
        guard text.first?.isNumber == true else { return false }
        return text.contains(" director") || lines.contains { indentation(of: $0.text).isDrawn }
    }

    private mutating func row(_ text: ArraySlice<UInt8>, line: Int) throws(InputError) -> Row {
        let (column, start, _) = Self.indentation(of: text)
        var name = text[start...]
        while let last = name.last, isWhiteSpace(last) { name.removeLast() }
        guard !name.isEmpty else {
            throw InputError(line: line, "the line has only line-drawing characters; add a name")
        }
        while let innermost = open.last, innermost.column >= column { open.removeLast() }
        let parent = open.last?.path
        let path = parent.map { $0 + [UInt8(ascii: "/")] + name } ?? Array(name)
        open.append((column, path))
        return Row(content: .text(name), line: line, id: path, parent: parent)
    }

    /// Returns the column and the position at which the name begins, and whether lines are drawn before it.
    static func indentation(of text: ArraySlice<UInt8>) -> (column: Int, start: Int, isDrawn: Bool) {
        var column = 0
        var position = text.startIndex
        var isDrawn = false
        while position < text.endIndex {
            switch text[position] {
            case UInt8(ascii: " "):
                column += 1
                position += 1
            case UInt8(ascii: "\t"):
                column = (column / 8 + 1) * 8
                position += 1
            case 0xC2 where text[position...].starts(with: [0xC2, 0xA0]):  // no-break space
                column += 1
                position += 2
            case 0xE2 where isLineDrawing(text[position...]):
                column += 1
                position += 3
                isDrawn = true
            case UInt8(ascii: "|"), UInt8(ascii: "`"):
                guard let length = asciiDrawingLength(text[position...]) else { return (column, position, isDrawn) }
                column += length
                position += length
                isDrawn = true
            default:
                return (column, position, isDrawn)
            }
        }
        return (column, position, isDrawn)
    }

    /// The length of `|-- `, "`-- " or the `|` of an ancestor's line, which blanks and another drawing follow.
    private static func asciiDrawingLength(_ text: ArraySlice<UInt8>) -> Int? {
        let rest = text.dropFirst()
        if rest.starts(with: "-- ".utf8) { return 4 }
        guard text.first == UInt8(ascii: "|") else { return nil }
        let next = rest.drop { $0 == UInt8(ascii: " ") || $0 == 0xC2 || $0 == 0xA0 }
        guard next.startIndex > rest.startIndex, next.first == UInt8(ascii: "|") || next.first == UInt8(ascii: "`")
        else { return nil }
        return asciiDrawingLength(next) == nil ? nil : 1
    }

    /// U+2500 to U+257F are the bytes E2 94 80 to E2 95 BF.
    private static func isLineDrawing(_ text: ArraySlice<UInt8>) -> Bool {
        text.count >= 3 && (text[text.startIndex + 1] == 0x94 || text[text.startIndex + 1] == 0x95)
    }
}
