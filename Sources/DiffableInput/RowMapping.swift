import Diffable
import DiffableJSON

/// What becomes of a text that is to be a list: what the options of `apply`, or the keys of a feed, say of it.
package struct RowMapping: Equatable, Sendable {
    /// Nil: the ending of the file's name says it, or `FormatGuess` decides.
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
    ///   - file: the name of the file, whose ending may say the format; nil for a pipe.
    ///   - name: the name of the input in messages.
    package func input(
        _ bytes: [UInt8], file: String?, named name: String, extent: InputReader.Extent = .wholeList
    ) throws(InputError) -> Input {
        let reader = try reader(of: bytes, file: file, named: name, extent: extent)
        do { return try reader.read(bytes) } catch {
            throw InputError(Self.place(name, reader.format) + "\(error)" + advice(on: error, file: file))
        }
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
        do { return (try reader.rows(of: bytes), place) } catch {
            throw InputError(place + "\(error)" + advice(on: error, file: nil))
        }
    }

    /// The way out where broken JSON may be lines of text.
    private func advice(on error: InputError, file: String?) -> String {
        guard error.isBrokenJSON, isGuessed(file) else { return "" }
        return "; nothing was changed: have the program write valid JSON, or use --from lines if these are lines"
    }

    private static func place(_ name: String, _ format: InputFormat) -> String {
        "\(name), read as \(format.rawValue): "
    }

    private func reader(
        of bytes: [UInt8], file: String?, named name: String, extent: InputReader.Extent
    ) throws(InputError) -> InputReader {
        let format = try format(of: bytes, file: file, named: name)
        if !format.isTable { try refuseTableOptions(for: format) }
        return InputReader(
            format: format, fields: fields, columns: columns, separator: separator, types: try columnTypes(),
            rows: rows, orphans: orphans, extent: extent)
    }

    /// The format that options or the file's name say; only without these does the input decide.
    private func format(of bytes: [UInt8], file: String?, named name: String) throws(InputError) -> InputFormat {
        if let said = saidFormat(file) { return said }
        if let firstTableOption {
            throw InputError(
                "\(firstTableOption) is for tables, and nothing says which kind of table \(name) is: use --from csv, --from tsv or "
                    + "--from columns")
        }
        do { return try FormatGuess.format(of: bytes[...].withoutByteOrderMark(), hasFields: fields != .none) } catch {
            throw InputError("\(name) \(error)")
        }
    }

    private func saidFormat(_ file: String?) -> InputFormat? {
        from ?? (rows != nil ? .json : separator != nil ? .csv : file.flatMap(InputFormat.known))
    }

    /// Whether only the input itself tells its format.
    private func isGuessed(_ file: String?) -> Bool { saidFormat(file) == nil }
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
            "\(firstTableOption) is for tables, and this is read as \(format.rawValue): use --from csv, --from tsv or --from columns"
        )
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
