import Diffable

/// Reads indented text: a line that is indented deeper than the one before it is its child.
///
/// Tabs, no-break spaces and the line drawing of `tree` count as indentation. The id of a line is the path to it
/// (`Fruit/Apple`), because a name that is unique among its siblings is rarely unique in the whole outline.
struct OutlineReader {
    /// The lines that may be ancestors of the next one, outermost first.
    private var open: [(column: Int, path: [UInt8])] = []

    static func rows(in text: ArraySlice<UInt8>) throws(InputError) -> [Row] {
        var reader = OutlineReader()
        var rows: [Row] = []
        for (line, text) in TextLines(text) { rows.append(try reader.row(text, line: line)) }
        return rows
    }

    private mutating func row(_ text: ArraySlice<UInt8>, line: Int) throws(InputError) -> Row {
        let (column, start) = indentation(of: text)
        var name = text[start...]
        while let last = name.last, isWhiteSpace(last) { name.removeLast() }
        guard !name.isEmpty else { throw InputError(line: line, "nothing but line drawing; give the line a name") }
        while let innermost = open.last, innermost.column >= column { open.removeLast() }
        let parent = open.last?.path
        let path = parent.map { $0 + [UInt8(ascii: "/")] + name } ?? Array(name)
        open.append((column, path))
        return Row(content: .text(name), line: line, id: path, parent: parent)
    }

    private func indentation(of text: ArraySlice<UInt8>) -> (column: Int, start: Int) {
        var column = 0
        var position = text.startIndex
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
            default:
                return (column, position)
            }
        }
        return (column, position)
    }

    /// U+2500 to U+257F are the bytes E2 94 80 to E2 95 BF.
    private func isLineDrawing(_ text: ArraySlice<UInt8>) -> Bool {
        text.count >= 3 && (text[text.startIndex + 1] == 0x94 || text[text.startIndex + 1] == 0x95)
    }
}
