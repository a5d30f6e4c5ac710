import Diffable
import DiffableJSON

/// Decides how to read input if neither `--from` nor the file name's ending gives the format: as JSON, as NDJSON or as lines,
/// and as nothing else. Input that looks like another format is refused, so a script works the same every time, or fails and
/// changes nothing.
///
/// **JSON.** The input is JSON if its first line begins a JSON value:
/// - `[` before `{`, `[`, `"`, `'`, or before a number or a word of JSON that a comma, a bracket or the line's end follows;
/// - `{` before `"` or `'`, or before `name:`;
/// - `[`, `{`, `[]` or `{}` alone.
///
/// It is NDJSON if its first line is a whole object without `sections`. `[INFO] started`, `[1] done`, `[ ] milk` and `{name}
/// text` are lines.
///
/// **Lines.** Everything else is lines, unless it looks like one of these:
/// - *CSV*: in the first line, a comma, a semicolon or a vertical bar separates names, as in `id,text`. The first and the last
///   name may be missing. A name does not begin or end with a blank and could be a heading: it has none of `= < > { } \` and no
///   `://`, its brackets are closed, and no longer word of it begins with `/`, `-`, `.` or `~`. If a comma has digits on both
///   sides, or the line begins with `[`, a date or a time and a blank, it is not CSV. So `milk, bread`, `1,5 kg` and `/dev/sda1
///   / ext4 rw,noexec` are lines.
/// - *TSV*: the first line has a tab after its first word.
/// - *Columns*: one of the first ten lines has two or more blanks between words (not after `.`, `,`, `:`, `;`, `!` or `?`, and
///   not in a log), has several runs of dashes and nothing else, or is a line of `ls -l`; or the first line is indented and in
///   capitals.
/// - *A tree*: a line is indented deeper than the first one, or begins with the drawing of `tree`.
/// - *JSON in other text*: a later line begins a JSON object or array; or the first line has `{"` or `[{` after other text, and
///   is not a log's; or the first line is a JSON string, `null`, `true` or `false`.
/// - *A page*: it begins with `<!doctype`, `<html` or `<?xml`.
///
/// A line is a log's if it begins with `[`, with a date or a time, or with a level such as `INFO`.
enum FormatGuess {
    /// `text` has no byte order mark. If options name fields of rows (`hasFields`), empty input means no rows rather than no
    /// lines.
    static func format(of text: ArraySlice<UInt8>, hasFields: Bool = false) throws(InputError) -> InputFormat {
        var rest = TextLines(text)
        guard let first = rest.next()?.text else { return hasFields ? .ndjson : .lines }
        let line = trimmed(first)
        if beginsJSON(line) {
            return line.first == UInt8(ascii: "{") && JSONRows.isRow(line) ? .ndjson : .json
        }
        if let message = otherFormatMessage(of: first, rest) { throw InputError(message) }
        return .lines
    }

    private static func otherFormatMessage(of first: ArraySlice<UInt8>, _ rest: TextLines) -> InputMessage? {
        let line = trimmed(first)
        if let beginning = markup.first(where: { line.prefix($0.utf8.count).elementsEqual($0.utf8, by: isSameLetter) })
        {
            return
                "begins with \(beginning), like a web page; nothing was changed: use \(.from, "lines") if each line is an item"
        }
        if isScalar(line) {
            return
                "begins with a JSON value that is not a row; nothing was changed: use \(.from, "ndjson") if each line is such a value, "
                + "or \(.from, "lines") if each line is an item"
        }
        if let separator = CSVHeader.separator(of: line) {
            let isBar = separator == UInt8(ascii: "|")
            return refusal("CSV", isBar ? "\(.from, "csv") \(.separator, "'|'")" : "\(.from, "csv")")
        }
        if line.contains(UInt8(ascii: "\t")) { return refusal("tab-separated text", "\(.from, "tsv")") }
        if let json = isTextBeforeJSON(line) ? 1 : rest.first(where: { beginsLaterJSON($0.text) })?.line {
            return
                "has text before the JSON on line \(json); nothing was changed: have the program write JSON alone, which \(.from, "json") "
                + "reads, or use \(.from, "lines") if each line is an item"
        }
        if let table = TableDetector(of: first, rest) {
            return table == .ruled
                ? "looks like a table with drawn borders; nothing was changed: have the program write CSV (\(.from, "csv")) or "
                    + "JSON, or use \(.from, "lines") if each line is an item"
                : refusal("a table in columns", "\(.from, "columns")")
        }
        if isOutline(first, rest) { return refusal("an indented outline", "\(.from, "tree")") }
        return nil
    }

    private static func refusal(_ kind: String, _ setting: InputMessage) -> InputMessage {
        "looks like \(kind); nothing was changed: use \(setting), or \(.from, "lines") if each line is an item"
    }
}

// MARK: - JSON

extension FormatGuess {
    /// Whether a line without surrounding blanks begins a JSON value, valid or broken.
    static func beginsJSON(_ line: ArraySlice<UInt8>, isInner: Bool = false) -> Bool {
        guard let bracket = line.first, bracket == UInt8(ascii: "[") || bracket == UInt8(ascii: "{") else {
            return false
        }
        let rest = line.dropFirst().drop(while: isWhiteSpace)
        guard let next = rest.first else { return true }
        if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") { return true }
        if next == bracket + 2 { return isEnd(rest.dropFirst(), isInner: isInner) }
        if bracket == UInt8(ascii: "{") {
            let name = rest.prefix { isLetterOrDigit($0) || $0 == UInt8(ascii: "_") }
            return !name.isEmpty && rest[name.endIndex...].drop(while: isWhiteSpace).first == UInt8(ascii: ":")
        }
        if next == UInt8(ascii: "[") || next == UInt8(ascii: "{") { return beginsJSON(rest, isInner: true) }
        let word = rest.prefix { isLetterOrDigit($0) || "+-.".utf8.contains($0) }
        guard Content.parsed(Array(word)) != nil else { return false }
        let after = rest[word.endIndex...].drop(while: isWhiteSpace)
        if after.first == UInt8(ascii: "]") { return isEnd(after.dropFirst(), isInner: isInner) }
        return after.isEmpty || after.first == UInt8(ascii: ",")
    }

    private static func isEnd(_ rest: ArraySlice<UInt8>, isInner: Bool) -> Bool {
        let rest = rest.drop(while: isWhiteSpace)
        guard let next = rest.first else { return true }
        return isInner && (next == UInt8(ascii: ",") || next == UInt8(ascii: "]"))
    }

    /// Stricter than for the first line, because code and logs have brackets too.
    private static func beginsLaterJSON(_ line: ArraySlice<UInt8>) -> Bool {
        let line = trimmed(line)
        guard line.first == UInt8(ascii: "[") || line.first == UInt8(ascii: "{") else { return false }
        return line.count == 1 || ["{\"", "[{", "[\""].contains { line.starts(with: $0.utf8) } && beginsJSON(line)
    }

    /// Whether a line has JSON after other text. Logs may have it: `INFO request {"path": "/"}`.
    private static func isTextBeforeJSON(_ line: ArraySlice<UInt8>) -> Bool {
        let text = String(decoding: line, as: UTF8.self)
        return (text.contains("{\"") || text.contains("[{")) && !TableDetector.isLog(text)
    }

    /// Recognizes `null`, `true`, `false` and strings. A number may be the first of many lines, as `seq` writes them.
    private static func isScalar(_ line: ArraySlice<UInt8>) -> Bool {
        guard let first = line.first, "\"ntf".utf8.contains(first) else { return false }
        return Content.parsed(Array(line)) != nil
    }
}

// MARK: - Outlines and pages

extension FormatGuess {
    private static func isOutline(_ first: ArraySlice<UInt8>, _ rest: TextLines) -> Bool {
        let (margin, _, isDrawn) = OutlineReader.indentation(of: first)
        return isDrawn
            || rest.contains { _, line in
                let (column, _, isDrawn) = OutlineReader.indentation(of: line)
                return isDrawn || column > margin
            }
    }

    private static let markup = ["<!doctype", "<html", "<?xml"]

    private static func isSameLetter(_ byte: UInt8, _ letter: UInt8) -> Bool {
        byte == letter || (0x41...0x5A).contains(byte) && byte + 0x20 == letter
    }

    static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let line = line.drop(while: isWhiteSpace)
        return line[..<(line.lastIndex { !isWhiteSpace($0) }.map { $0 + 1 } ?? line.startIndex)]
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte >= 0x80
    }
}
