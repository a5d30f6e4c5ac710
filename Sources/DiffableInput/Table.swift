import Diffable

/// The records of CSV, TSV or aligned columns as rows: each an object by the names in the header.
struct Table {
    let columns: [String]
    private(set) var rows: [Row] = []

    /// - Parameters:
    ///   - columns: names that stand for a header; then the first line is a record already.
    ///   - separator: what stands between fields of CSV; by default what its first line suggests.
    init(
        reading text: ArraySlice<UInt8>, dialect: DelimitedText.Dialect, columns: [String]?, separator: UInt8? = nil,
        types: ColumnTypes? = nil
    ) throws(InputError) {
        let separator = separator ?? DelimitedText.separator(of: text, dialect: dialect)
        var records = DelimitedText(text, dialect: dialect, separator: separator)
        var header = columns
        if header == nil {
            guard let first = try records.next() else {
                throw InputError("no header line; the first line names the columns")
            }
            header = first.fields.map { String(decoding: $0, as: UTF8.self) }
        }
        var rest: [DelimitedText.Record] = []
        while let record = try records.next() { rest.append(record) }
        try self.init(columns: header ?? [], rest, types, decimalComma: separator == UInt8(ascii: ";"))
    }

    init(aligned text: ArraySlice<UInt8>, columns: [String]?, types: ColumnTypes? = nil) throws(InputError) {
        let table = try AlignedText(text, columns: columns)
        try self.init(columns: table.columns, table.records, types, decimalComma: false)
    }

    private init(
        columns: [String], _ records: [DelimitedText.Record], _ types: ColumnTypes?, decimalComma: Bool
    ) throws(InputError) {
        self.columns = columns
        try checkColumns()
        try types?.check(columns: columns)
        let columnTypes = columns.map { types?[$0] ?? .text }
        rows.reserveCapacity(records.count)
        for record in records { rows.append(try row(of: record, columnTypes, decimalComma: decimalComma)) }
    }

    private func checkColumns() throws(InputError) {
        for (position, name) in columns.enumerated() {
            if name.isEmpty { throw InputError(line: 1, "column \(position + 1) has no name in the header") }
            if columns[..<position].contains(name) {
                throw InputError(line: 1, "two columns are called \(name.debugDescription); rename one")
            }
        }
    }

    private func row(
        of record: DelimitedText.Record, _ types: [ColumnType], decimalComma: Bool
    ) throws(InputError) -> Row {
        guard record.fields.count == columns.count else {
            throw InputError(
                line: record.line,
                "\(counted(record.fields.count, "field")), but \(counted(columns.count, "column")) were named")
        }
        var members: [(String, Content)] = []
        for (position, field) in record.fields.enumerated() {
            guard let content = types[position].content(of: field, decimalComma: decimalComma) else {
                let text = String(decoding: field, as: UTF8.self)
                throw InputError(
                    line: record.line,
                    "\(FieldCheck.argument(columns[position])) is \(text.debugDescription), which is not of the type \(types[position].rawValue)"
                )
            }
            members.append((columns[position], content))
        }
        return Row(content: .object(members), line: record.line)
    }
}
