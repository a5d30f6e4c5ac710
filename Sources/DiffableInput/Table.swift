import Diffable

/// Throws for a text that bars may separate, but neither commas, semicolons nor tabs: all of it would be one column.
private func refuseBars(in text: ArraySlice<UInt8>) throws(InputError) {
    var lines = TextLines(text)
    guard let (number, line) = lines.next(), line.contains(UInt8(ascii: "|")),
        !line.contains(where: { ",;\t\"".utf8.contains($0) })
    else { return }
    let isDrawn = String(decoding: line, as: UTF8.self).contains(" | ")
    throw InputError(
        line: number,
        (isDrawn
            ? "vertical bars with blanks around them separate the columns, which is not CSV: have the program write CSV or JSON"
            : "the line has vertical bars and no comma: use \(.separator, "'|'") if bars separate the columns")
            + ", or use \(.separator, "','") if this is one column")
}

struct Table {
    let columns: [String]
    private var collected: RowCollector
    private let types: [ColumnType]
    private let decimalComma: Bool

    var rows: [Row] { collected.rows }

    /// `columns` replaces a header; then the first line is a record. The separator of CSV fields is guessed from the first line
    /// by default.
    init(
        reading text: ArraySlice<UInt8>, dialect: DelimitedText.Dialect, columns: [String]?, separator: UInt8? = nil,
        types: ColumnTypes? = nil, _ limits: InputLimits = .none
    ) throws(InputError) {
        if separator == nil, dialect == .csv { try refuseBars(in: text) }
        let separator = separator ?? DelimitedText.separator(of: text, dialect: dialect)
        var records = DelimitedText(text, dialect: dialect, separator: separator, columnsMax: limits.columnsMax)
        var header = columns
        if header == nil {
            guard let first = try records.next() else {
                throw InputError.noHeader
            }
            header = first.fields.map { String(decoding: $0, as: UTF8.self) }
        }
        try self.init(
            columns: header ?? [], types, areNamed: columns != nil, decimalComma: separator == UInt8(ascii: ";"), limits
        )
        while let record = try records.next() { try append(record) }
    }

    init(
        aligned text: ArraySlice<UInt8>, columns: [String]?, types: ColumnTypes? = nil, _ limits: InputLimits = .none
    ) throws(InputError) {
        let table = try AlignedText(text, columns: columns)
        try self.init(columns: table.columns, types, areNamed: columns != nil, decimalComma: false, limits)
        for record in table.records { try append(record) }
    }

    private init(
        columns: [String], _ types: ColumnTypes?, areNamed: Bool, decimalComma: Bool, _ limits: InputLimits
    ) throws(InputError) {
        self.columns = columns
        self.types = columns.map { types?[$0] ?? .text }
        self.decimalComma = decimalComma
        collected = RowCollector(limits)
        try checkColumns(areNamed: areNamed)
        try types?.check(columns: columns)
    }

    private func checkColumns(areNamed: Bool) throws(InputError) {
        // With --columns, a header would be read as a row.
        let remedy: InputMessage = "there, or remove the header line and name all columns with \(.columns)"
        for (position, name) in columns.enumerated() {
            if name.isEmpty {
                throw areNamed
                    ? InputError("\(.columns) has no name for column \(position + 1); add one")
                    : InputError(line: 1, "column \(position + 1) has no name in the header; name it \(remedy)")
            }
            if columns[..<position].contains(name) {
                let name = name.debugDescription
                throw areNamed
                    ? InputError("\(.columns) names two columns \(name); rename one")
                    : InputError(line: 1, "two columns are called \(name) in the header; rename one \(remedy)")
            }
        }
    }

    private mutating func append(_ record: DelimitedText.Record) throws(InputError) {
        guard record.fields.count == columns.count else {
            throw InputError(
                line: record.line,
                "the line has \(counted(record.fields.count, "field")), but \(.columns) names \(counted(columns.count, "column"))"
            )
        }
        var members: [(String, Content)] = []
        for (position, field) in record.fields.enumerated() {
            guard let content = types[position].content(of: field, decimalComma: decimalComma) else {
                let text = String(decoding: field, as: UTF8.self)
                throw InputError(
                    line: record.line,
                    "\(FieldCheck.shellQuoted(columns[position])) is \(text.debugDescription), which is not of the type "
                        + "\(types[position].rawValue); correct it, or change the column's type in \(.numbers) or \(.types)"
                )
            }
            members.append((columns[position], content))
        }
        try collected.append(Row(content: .object(members), line: record.line))
    }
}
