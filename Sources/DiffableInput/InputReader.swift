import Diffable

/// Reads `apply`'s input in one of its forms.
package struct InputReader {
    package var format: InputFormat
    package var fields: Arrangement.Fields = .none
    /// Names of the columns of a table that has no header line.
    package var columns: [String]?
    /// The separator of CSV fields. By default it is guessed from the first line.
    package var separator: UInt8?
    package var types: ColumnTypes?
    /// The member of a JSON object that has the rows.
    package var rows: FieldPath?
    package var orphans = OrphanRule.refuse
    /// Whether all items go into one section that is named elsewhere.
    package var extent: Extent = .wholeList

    package enum Extent {
        case wholeList
        case oneSection
    }

    package init(
        format: InputFormat, fields: Arrangement.Fields = .none, columns: [String]? = nil, separator: UInt8? = nil,
        types: ColumnTypes? = nil, rows: FieldPath? = nil, orphans: OrphanRule = .refuse, extent: Extent = .wholeList
    ) {
        self.format = format
        self.fields = fields
        self.columns = columns
        self.separator = separator
        self.types = types
        self.rows = rows
        self.orphans = orphans
        self.extent = extent
    }

    package func read(_ input: [UInt8]) throws(InputError) -> Input {
        switch try rows(of: input) {
        case .rows(let rows, let columns): try arranged(rows, columns)
        case .list(let list): try arranged(list)
        }
    }

    /// What the text says, before rows become items.
    package func rows(of input: [UInt8]) throws(InputError) -> InputRows {
        let text = try checkedText(input)
        switch format {
        case .json:
            if let rows { return .rows(try JSONRows.elements(of: text, at: rows), columns: nil) }
            if let list = try JSONRows.snapshot(in: text) { return .list(list) }
            return .rows(try JSONRows.elements(of: text), columns: nil)
        case .ndjson:
            let rows = try JSONRows.lines(of: text)
            if fields == .none, let list = try ListLines(rows) {
                let arrangement = try Arrangement(
                    of: list.rows, in: list.sections, fields: fields, orphans: orphans)
                return .list(
                    WholeList(content: list.content.map { .some($0) }, sections: try arrangement.sections()))
            }
            return .rows(rows, columns: nil)
        case .csv, .tsv:
            let dialect: DelimitedText.Dialect = format == .csv ? .csv : .tsv
            let table = try Table(
                reading: text, dialect: dialect, columns: columns, separator: separator, types: types)
            return .rows(table.rows, columns: table.columns)
        case .columns:
            let table = try Table(aligned: text, columns: columns, types: types)
            return .rows(table.rows, columns: table.columns)
        case .lines: return .rows(try plainLines(text), columns: nil)
        case .tree:
            try refuseFields()
            return .rows(try OutlineReader.rows(in: text), columns: nil)
        }
    }

    private func plainLines(_ text: ArraySlice<UInt8>) throws(InputError) -> [Row] {
        try refuseFields()
        return TextLines(text).map { Row(content: .text($1), line: $0, id: Array($1)) }
    }

    private func arranged(_ rows: [Row], _ columns: [String]?) throws(InputError) -> Input {
        let arrangement = try Arrangement(of: rows, columns: columns, fields: fields, orphans: orphans)
        return switch extent {
        case .wholeList: .whole(WholeList(sections: try arrangement.sections()))
        case .oneSection: .items(try arrangement.items())
        }
    }

    private func arranged(_ list: WholeList) throws(InputError) -> Input {
        try refuseFields()
        switch extent {
        case .wholeList: return .whole(list)
        case .oneSection:
            guard list.sections.count == 1 else {
                throw InputError(
                    "the snapshot has \(counted(list.sections.count, "section")); with --into it needs exactly one")
            }
            return .items(list.sections[0].items)
        }
    }

    private func refuseFields() throws(InputError) {
        guard fields == .none else { throw Self.fieldsRefused }
    }

    /// Of what has no rows with fields.
    package static let fieldsRefused = InputError(
        "--id, --section, --parent and --text name the fields of rows; a snapshot and --from lines or tree have none")
}

/// What a text says, before rows become items.
package enum InputRows {
    /// The columns are those of a table; nil for rows that are no records of one.
    case rows([Row], columns: [String]?)
    /// A snapshot, which has its items already.
    case list(WholeList)
}
