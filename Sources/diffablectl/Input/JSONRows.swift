import Diffable
import DiffableJSON

/// Rows that are JSON values: the elements of an array, or one on each line.
enum JSONRows {
    /// The sections of a snapshot, or `nil` when the text is not an object (so an array, or a mistake).
    static func snapshot(in text: ArraySlice<UInt8>) throws(InputError) -> [Section]? {
        guard text.first(where: { !isWhiteSpace($0) }) == UInt8(ascii: "{") else { return nil }
        let sections: Result<[Section], DecodingError> = text.withUnsafeBytes { bytes in
            Result { () throws(DecodingError) in try [Section](json: bytes, limits: .input) }
        }
        do { return try sections.get() } catch { throw InputError(error, in: text) }
    }

    /// Whether a line is an object by itself, and not a whole snapshot.
    static func isRow(_ line: ArraySlice<UInt8>) -> Bool {
        guard let content = try? content(of: line) else { return false }
        let view = JSONView(content)
        return view.isObject && view.member("sections") == nil
    }

    static func lines(of text: ArraySlice<UInt8>) throws(InputError) -> [Row] {
        var rows: [Row] = []
        for (line, text) in TextLines(text) {
            do throws(JSONError) {
                rows.append(row(try content(of: text), line: line))
            } catch {
                throw InputError(line: line, "\(error) of the line; --from ndjson takes one JSON object on each line")
            }
        }
        return rows
    }

    static func elements(of text: ArraySlice<UInt8>) throws(InputError) -> [Row] {
        let rows: Result<[Row], JSONError> = text.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try elements(of: bytes) }
        }
        do { return try rows.get() } catch { throw InputError(error, in: text) }
    }

    private static func elements(of bytes: UnsafeRawBufferPointer) throws(JSONError) -> [Row] {
        var scanner = JSONScanner(bytes, depthMax: JSONView.depthMax)
        var rows: [Row] = []
        var line = 1
        var counted = 0
        var array = try scanner.beginArray()
        while try scanner.nextElement(of: &array) {
            let value = try scanner.value()
            for offset in counted..<value.offset where bytes[offset] == UInt8(ascii: "\n") { line += 1 }
            counted = value.offset
            rows.append(row(Content(value.compacted()), line: line))
        }
        try scanner.end()
        return rows
    }

    /// A bare string or number is its own id, as a line of plain text is.
    private static func row(_ content: Content, line: Int) -> Row {
        let view = JSONView(content)
        guard !view.isObject, let text = view.text else { return Row(content: content, line: line) }
        return Row(content: .object([("text", content)]), line: line, id: text)
    }

    private static func content(of line: ArraySlice<UInt8>) throws(JSONError) -> Content {
        let content: Result<Content, JSONError> = line.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in
                var scanner = JSONScanner(bytes, depthMax: JSONView.depthMax)
                let value = try scanner.value()
                try scanner.end()
                return Content(value.compacted())
            }
        }
        return try content.get()
    }
}
