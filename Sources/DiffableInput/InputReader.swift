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
        let text = try checkedText(input)
        switch format {
        case .json:
            if let rows { return try arranged(JSONRows.elements(of: text, at: rows)) }
            if let list = try JSONRows.snapshot(in: text) { return try arranged(list) }
            return try arranged(JSONRows.elements(of: text))
        case .ndjson:
            let rows = try JSONRows.lines(of: text)
            if fields == .none, let list = try ListLines(rows) {
                let arrangement = try Arrangement(
                    of: list.rows, in: list.sections, fields: fields, orphans: orphans)
                return try arranged(
                    WholeList(content: list.content.map { .some($0) }, sections: try arrangement.sections()))
            }
            return try arranged(rows)
        case .csv, .tsv:
            let dialect: DelimitedText.Dialect = format == .csv ? .csv : .tsv
            return try arranged(
                Table(reading: text, dialect: dialect, columns: columns, separator: separator, types: types))
        case .columns: return try arranged(Table(aligned: text, columns: columns, types: types))
        case .lines: return try arranged(plainLines(text))
        case .tree:
            try refuseFields()
            return try arranged(OutlineReader.rows(in: text))
        }
    }

    private func plainLines(_ text: ArraySlice<UInt8>) throws(InputError) -> [Row] {
        try refuseFields()
        return TextLines(text).map { Row(content: .text($1), line: $0, id: Array($1)) }
    }

    private func arranged(_ table: Table) throws(InputError) -> Input {
        try fields.check(columns: table.columns)
        return try arranged(table.rows, firstColumn: RowFields.firstColumn(of: table.columns))
    }

    private func arranged(_ rows: [Row], firstColumn: FieldPath? = nil) throws(InputError) -> Input {
        try fields.check(rows: rows)
        let arrangement = try Arrangement(of: rows, fields: fields, firstColumn: firstColumn, orphans: orphans)
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
        guard fields == .none else {
            throw InputError(
                "--id, --section, --parent and --text name the fields of rows; a snapshot and --from lines or tree have none"
            )
        }
    }
}
