import Diffable

/// The records of CSV or TSV as rows: each an object of strings by the names in the header.
struct Table {
    let columns: [String]
    private(set) var rows: [Row] = []

    /// - Parameter columns: names that stand for a header; then the first line is a record already.
    init(
        reading text: ArraySlice<UInt8>, dialect: DelimitedText.Dialect, columns: [String]?
    ) throws(InputError) {
        var records = DelimitedText(text, dialect: dialect)
        if let columns {
            self.columns = columns
        } else {
            guard let header = try records.next() else {
                throw InputError("no header line; the first line names the columns")
            }
            self.columns = header.fields.map { String(decoding: $0, as: UTF8.self) }
        }
        try checkColumns()
        while let record = try records.next() { rows.append(try row(of: record)) }
    }

    private func checkColumns() throws(InputError) {
        for (position, name) in columns.enumerated() {
            if name.isEmpty { throw InputError(line: 1, "column \(position + 1) has no name in the header") }
            if columns[..<position].contains(name) {
                throw InputError(line: 1, "two columns are called \(name.debugDescription); rename one")
            }
        }
    }

    private func row(of record: DelimitedText.Record) throws(InputError) -> Row {
        guard record.fields.count == columns.count else {
            throw InputError(
                line: record.line,
                "\(counted(record.fields.count, "field")), but \(counted(columns.count, "column")) were named")
        }
        return Row(content: .object(zip(columns, record.fields).map { ($0, .string($1)) }), line: record.line)
    }
}
