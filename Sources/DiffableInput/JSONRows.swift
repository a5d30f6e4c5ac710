import Diffable
import DiffableJSON

/// Rows that are JSON values: the elements of an array, or one on each line.
package enum JSONRows {
    /// The snapshot; nil if the text is not an object, but an array or a mistake.
    package static func snapshot(in text: ArraySlice<UInt8>) throws(InputError) -> WholeList? {
        guard text.first(where: { !isWhiteSpace($0) }) == UInt8(ascii: "{") else { return nil }
        let list: Result<WholeList, DecodingError> = text.withUnsafeBytes { bytes in
            Result { () throws(DecodingError) in try WholeList(json: bytes, limits: .input) }
        }
        do { return try list.get() } catch {
            if let hint = arrayHint(in: text) { throw hint }
            throw InputError(error, in: text)
        }
    }

    /// Finds the rows in an object that is not a snapshot: its only array.
    private static func arrayHint(in text: ArraySlice<UInt8>) -> InputError? {
        guard let object = try? checked(text), object.member("sections") == nil else { return nil }
        guard let name = pathOfOnlyArray(in: object) else { return nil }
        return InputError(
            "the input is an object without \"sections\", so it is not a whole list; if its rows are in \(name), use \(.rows, name)"
        )
    }

    /// As `--rows` takes it.
    package static func pathOfOnlyArray(in object: JSONReader) -> String? {
        let arrays = object.members.filter(\.value.isArray).map(\.name)
        return arrays.count == 1 ? FieldCheck.shellQuoted(FieldPath.path(to: arrays[0])) : nil
    }

    private static func checked(_ text: ArraySlice<UInt8>) throws(InputError) -> JSONReader {
        let value: Result<Range<Int>, JSONError> = text.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in
                var scanner = JSONScanner(bytes, depthMax: JSONReader.depthMax)
                let value = try scanner.value()
                try scanner.end()
                return value.offset..<value.offset + value.bytes.count
            }
        }
        do {
            let range = try value.get()
            return JSONReader(checked: text[text.startIndex + range.lowerBound..<text.startIndex + range.upperBound])
        } catch {
            throw InputError(error, in: text)
        }
    }

    static func elements(
        of text: ArraySlice<UInt8>, at field: FieldPath, _ limits: InputLimits
    ) throws(InputError) -> [Row] {
        let object = try checked(text)
        guard let array = object.value(ofRow: field), array.isArray else {
            let names = object.members.filter { $0.value.isArray || $0.value.isObject }.map {
                FieldPath.path(to: $0.name)
            }
            throw InputError(FieldCheck.complaint("there is no array", field.description, "\(.rows)", among: names))
        }
        let line = 1 + text[..<array.source.startIndex].count { $0 == UInt8(ascii: "\n") }
        return try elements(of: array.source, line: line, limits)
    }

    /// Whether a line is an object by itself, and not a whole snapshot.
    package static func isRow(_ line: ArraySlice<UInt8>) -> Bool {
        guard let content = try? content(of: line) else { return false }
        let view = JSONReader(content)
        return view.isObject && view.member("sections") == nil
    }

    static func lines(of text: ArraySlice<UInt8>, _ limits: InputLimits) throws(InputError) -> [Row] {
        var rows = RowCollector(limits)
        for (line, text) in TextLines(text) {
            let content: Content
            do throws(JSONError) { content = try self.content(of: text) } catch {
                throw InputError(
                    line: line, "\(error) of the line; \(.from, "ndjson") takes one JSON object on each line",
                    isBrokenJSON: true)
            }
            try rows.append(row(content, line: line))
        }
        return rows.rows
    }

    static func elements(
        of text: ArraySlice<UInt8>, line: Int = 1, _ limits: InputLimits
    ) throws(InputError) -> [Row] {
        var rows = RowCollector(limits)
        var excess: InputError?
        let end: Result<Void, JSONError> = text.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in
                try forEachElement(of: bytes, line: line) { row in
                    do throws(InputError) { try rows.append(row) } catch { excess = error }
                    return excess == nil
                }
            }
        }
        if let excess { throw excess }
        do { try end.get() } catch { throw InputError(error, in: text) }
        return rows.rows
    }

    /// `first` is the line on which the text begins; `body` returns whether to read on.
    private static func forEachElement(
        of bytes: UnsafeRawBufferPointer, line first: Int, _ body: (Row) -> Bool
    ) throws(JSONError) {
        var scanner = JSONScanner(bytes, depthMax: JSONReader.depthMax)
        var line = first
        var counted = 0
        var array = try scanner.beginArray()
        while try scanner.nextElement(of: &array) {
            let value = try scanner.value()
            for offset in counted..<value.offset where bytes[offset] == UInt8(ascii: "\n") { line += 1 }
            counted = value.offset
            guard body(row(Content(value.compacted()), line: line)) else { return }
        }
        try scanner.end()
    }

    /// A string or a number is its own id, like a line of plain text.
    private static func row(_ content: Content, line: Int) -> Row {
        let view = JSONReader(content)
        guard !view.isObject, let text = view.text else { return Row(content: content, line: line) }
        return Row(content: .object([("text", content)]), line: line, id: text)
    }

    private static func content(of line: ArraySlice<UInt8>) throws(JSONError) -> Content {
        let content: Result<Content, JSONError> = line.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in
                var scanner = JSONScanner(bytes, depthMax: JSONReader.depthMax)
                let value = try scanner.value()
                try scanner.end()
                return Content(value.compacted())
            }
        }
        return try content.get()
    }
}
