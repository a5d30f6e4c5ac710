import Diffable
import DiffableJSON

/// How to read a text as a list, from the options of `apply` or the keys of a feed.
package struct RowMapping: Equatable, Sendable {
    /// If it is nil, the ending of the file's name gives the format, or `FormatGuess` decides.
    package var from: InputFormat?
    package var fields = ItemBuilder.Fields.none
    /// Nil: a line is its own id.
    package var lineIDs: LineIDs?
    package var columns: [String]?
    /// The value of `--numbers`, such as `cpu,size`.
    package var numbers: String?
    /// The value of `--types`, such as `cpu=number,on=boolean`.
    package var types: String?
    package var separator: UInt8?
    package var rows: FieldPath?
    package var orphans = OrphanRule.refuse
    package var limits = InputLimits.none

    package init() {}

    /// Sets the fields. After `from: lines`, the ids `number` and `hash` set `lineIDs` instead, because lines have no
    /// fields.
    package mutating func set(_ fields: ItemBuilder.Fields) {
        self.fields = fields
        guard from == .lines, let ids = fields.id.flatMap({ LineIDs(rawValue: $0.name) }) else { return }
        (lineIDs, self.fields.id) = (ids, nil)
    }

    package func limited(by limits: InputLimits) -> RowMapping {
        var mapping = self
        mapping.limits = limits
        return mapping
    }

    /// `file` is the file's name, whose ending may give the format; nil for a pipe. `name` is the name of the input in
    /// messages.
    package func input(
        _ bytes: [UInt8], file: String?, named name: String, extent: InputReader.Extent = .wholeList
    ) throws(InputError) -> Input {
        let reader = try reader(of: bytes, file: file, named: name, extent: extent)
        do { return try reader.read(bytes) } catch {
            throw InputError("\(Self.place(name, reader.format))\(error)\(advice(on: error, file: file))")
        }
    }

    /// Reads one line that was taken out of a longer text. Messages use the line's number in that text.
    package func input(_ text: [UInt8], ofLine line: Int, named name: String) throws(InputError) -> Input {
        let reader = try reader(of: text, file: nil, named: name, extent: .wholeList)
        do { return try reader.read(text) } catch {
            // The reader's own line number is always 1 here, so the message has the number in the longer text instead.
            throw InputError("\(Self.place(name, reader.format))line \(line): \(error.problem)")
        }
    }

    /// Reads rows without making items of them. Also returns the prefix of messages about the rows (`ItemBuilder`).
    package func rows(_ bytes: [UInt8], named name: String) throws(InputError) -> (rows: InputRows, place: String) {
        let reader = try reader(of: bytes, file: nil, named: name, extent: .wholeList)
        let place = Self.place(name, reader.format)
        do { return (try reader.rows(of: bytes), place) } catch {
            throw InputError("\(place)\(error)\(advice(on: error, file: nil))")
        }
    }

    private func advice(on error: InputError, file: String?) -> InputMessage {
        guard error.isBrokenJSON, isGuessed(file) else { return "" }
        return
            "; nothing was changed: have the program write valid JSON, or use \(.from, "lines") if each line is an item"
    }

    private static func place(_ name: String, _ format: InputFormat) -> String {
        "\(name), read as \(format.rawValue): "
    }

    private func reader(
        of bytes: [UInt8], file: String?, named name: String, extent: InputReader.Extent
    ) throws(InputError) -> InputReader {
        let format = try format(of: bytes, file: file, named: name)
        if !format.isTable { try refuseTableSettings(for: format) }
        return InputReader(
            format: format, fields: fields, columns: columns, separator: separator, types: try columnTypes(),
            rows: rows, lineIDs: lineIDs, orphans: orphans, limits: limits, extent: extent)
    }

    /// The format from options or the file's name; only without these does the input decide.
    private func format(of bytes: [UInt8], file: String?, named name: String) throws(InputError) -> InputFormat {
        if let said = declaredFormat(file) { return said }
        if let firstTableSetting {
            throw InputError(
                "\(firstTableSetting) is for tables, and nothing says which kind of table \(name) is: use \(.from, "csv"), \(.from, "tsv") or "
                    + "\(.from, "columns")")
        }
        do { return try FormatGuess.format(of: bytes[...].withoutByteOrderMark(), hasFields: fields != .none) } catch {
            throw InputError("\(name) \(error)")
        }
    }

    private func declaredFormat(_ file: String?) -> InputFormat? {
        from ?? (rows != nil ? .json : separator != nil ? .csv : file.flatMap(InputFormat.known))
    }

    private func isGuessed(_ file: String?) -> Bool { declaredFormat(file) == nil }
}

// MARK: - Tables

extension RowMapping {
    package func columnTypes() throws(InputError) -> ColumnTypes? {
        let types = try ColumnTypes(numbers: numbers, types: types)
        return types.isEmpty ? nil : types
    }

    /// The first setting that is for tables, so that the input has to be one.
    private var firstTableSetting: InputSetting? {
        columns != nil
            ? .columns : numbers != nil ? .numbers : types != nil ? .types : separator != nil ? .separator : nil
    }

    /// Refuses settings that would be ignored silently because the input is not a table.
    private func refuseTableSettings(for format: InputFormat) throws(InputError) {
        guard let firstTableSetting else { return }
        throw InputError(
            "\(firstTableSetting) is for tables, and this is read as \(format.rawValue): use \(.from, "csv"), \(.from, "tsv") or \(.from, "columns")"
        )
    }

    package func check() throws(InputError) {
        _ = try columnTypes()
        guard let from else { return }
        // Lines of ndjson may name their parents themselves, as show -o jsonl writes them.
        if orphans == .top, fields.parent == nil, from != .ndjson {
            throw InputError("\(.orphans) can be used only with \(.parent)")
        }
        if [.lines, .tree].contains(from), fields != .none { throw InputReader.fieldsRefused }
        if !from.isTable { try refuseTableSettings(for: from) }
        if from != .csv, separator != nil { throw InputError("\(.separator) can be used only with \(.from, "csv")") }
        if from != .json, rows != nil { throw InputError("\(.rows) can be used only with \(.from, "json")") }
    }

    /// A field separator: one ASCII character, or `\t` for a tab, which can be typed in a shell.
    package static func separator(_ text: String) -> UInt8? {
        let text = text == "\\t" ? "\t" : text
        guard text.utf8.count == 1, let byte = text.utf8.first, byte < 0x80, byte != UInt8(ascii: "\""),
            byte == UInt8(ascii: "\t") || byte >= 0x20
        else { return nil }
        return byte
    }
}
