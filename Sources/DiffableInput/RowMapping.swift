import Diffable

/// What becomes of a text that is to be a list: what the options of `apply`, or the keys of a feed, say of it.
package struct RowMapping: Equatable, Sendable {
    /// Nil: guessed, by the file's name or by how the text begins.
    package var from: InputFormat?
    package var fields = Arrangement.Fields.none
    /// Of a table without a header line.
    package var columns: [String]?
    /// As `--numbers` has it: `cpu,size`.
    package var numbers: String?
    /// As `--types` has it: `cpu=number,on=boolean`.
    package var types: String?
    package var separator: UInt8?
    package var rows: FieldPath?
    package var orphans = OrphanRule.refuse

    package init() {}

    /// - Parameters:
    ///   - file: its extension may tell the format; nil for what has no name.
    ///   - name: what it is called in messages.
    ///   - guessing: hears of a table that nobody said is one.
    package func input(
        _ bytes: [UInt8], file: String?, named name: String, extent: InputReader.Extent = .wholeList,
        guessing: (InputFormat) -> Void = { _ in }
    ) throws(InputError) -> Input {
        let reader = try reader(of: bytes, file: file, named: name, extent: extent, guessing: guessing)
        do { return try reader.read(bytes) } catch { throw InputError(Self.place(name, reader.format) + "\(error)") }
    }

    /// The same of one line that was taken out of a longer text. Messages name the line by its number there.
    package func input(_ text: [UInt8], ofLine line: Int, named name: String) throws(InputError) -> Input {
        let reader = try reader(of: text, file: nil, named: name, extent: .wholeList)
        do { return try reader.read(text) } catch {
            // Within the line each mistake is on its first.
            throw InputError(Self.place(name, reader.format) + "line \(line): \(error.problem)")
        }
    }

    /// The same, before rows become items.
    ///
    /// - Returns: also what stands before the message when they cannot (`Arrangement`).
    package func rows(_ bytes: [UInt8], named name: String) throws(InputError) -> (rows: InputRows, place: String) {
        let reader = try reader(of: bytes, file: nil, named: name, extent: .wholeList)
        let place = Self.place(name, reader.format)
        do { return (try reader.rows(of: bytes), place) } catch { throw InputError(place + "\(error)") }
    }

    private static func place(_ name: String, _ format: InputFormat) -> String {
        "\(name), read as \(format.rawValue): "
    }

    private func reader(
        of bytes: [UInt8], file: String?, named name: String, extent: InputReader.Extent,
        guessing: (InputFormat) -> Void = { _ in }
    ) throws(InputError) -> InputReader {
        let format = format(of: bytes, file: file)
        if !format.isTable { try refuseTableOptions(for: format) }
        if isGuessed(file) {
            do { try PlainTextCheck.refuseDoubtful(bytes) } catch { throw InputError("\(name): \(error)") }
            if format.isTable { guessing(format) }
        }
        return InputReader(
            format: format, fields: fields, columns: columns, separator: separator, types: try columnTypes(),
            rows: rows, orphans: orphans, extent: extent)
    }

    private func format(of bytes: [UInt8], file: String?) -> InputFormat {
        if let from { return from }
        if rows != nil { return .json }
        if separator != nil { return .csv }
        return .guess(fileName: file, input: bytes, isTable: firstTableOption != nil, isRow: JSONRows.isRow)
    }

    /// Whether the format has to be guessed from the input.
    private func isGuessed(_ file: String?) -> Bool {
        from == nil && separator == nil && file.flatMap(InputFormat.known) == nil
    }
}

// MARK: - Tables

extension RowMapping {
    package func columnTypes() throws(InputError) -> ColumnTypes? {
        let types = try ColumnTypes(numbers: numbers, types: types)
        return types.isEmpty ? nil : types
    }

    /// The first option that is for tables, so that the input has to be one.
    private var firstTableOption: String? {
        let options = [
            ("--columns", columns != nil), ("--numbers", numbers != nil), ("--types", types != nil),
            ("--separator", separator != nil),
        ]
        return options.first { $0.1 }?.0
    }

    /// Without a table these options would be ignored silently, so they are refused.
    private func refuseTableOptions(for format: InputFormat) throws(InputError) {
        guard let firstTableOption else { return }
        throw InputError(
            "\(firstTableOption) is for tables, and this is read as \(format.rawValue): say --from csv, tsv or columns")
    }

    /// Throws for what contradicts itself, before anything is read.
    package func check() throws(InputError) {
        _ = try columnTypes()
        guard let from else { return }
        // Lines of ndjson may name their parents themselves, as show -o jsonl writes them.
        if orphans == .top, fields.parent == nil, from != .ndjson {
            throw InputError("--orphans is for rows that have a --parent")
        }
        if [.lines, .tree].contains(from), fields != .none { throw InputReader.fieldsRefused }
        if !from.isTable { try refuseTableOptions(for: from) }
        if from != .csv, separator != nil { throw InputError("--separator is for --from csv") }
        if from != .json, rows != nil { throw InputError("--rows is for --from json") }
    }

    /// A field separator: one ASCII character, or `\t`, the form of a tab that can be typed in a shell.
    package static func separator(_ text: String) -> UInt8? {
        let text = text == "\\t" ? "\t" : text
        guard text.utf8.count == 1, let byte = text.utf8.first, byte < 0x80, byte != UInt8(ascii: "\""),
            byte == UInt8(ascii: "\t") || byte >= 0x20
        else { return nil }
        return byte
    }
}

extension InputFormat {
    fileprivate var isTable: Bool { [.csv, .tsv, .columns].contains(self) }
}
