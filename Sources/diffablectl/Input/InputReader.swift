import Diffable

/// Reads `apply`'s input in one of its forms.
struct InputReader {
    var format: InputFormat
    var fields: Arrangement.Fields = .none
    /// Names of the columns of a table that has no header line.
    var columns: [String]?
    /// Whether all items go into one section that is named elsewhere.
    var extent: Extent = .wholeList

    enum Extent {
        case wholeList
        case oneSection
    }

    func read(_ input: [UInt8]) throws(InputError) -> Input {
        let text = try checkedText(input)
        switch format {
        case .json:
            if let sections = try JSONRows.snapshot(in: text) { return try arranged(sections) }
            return try arranged(JSONRows.elements(of: text))
        case .ndjson: return try arranged(JSONRows.lines(of: text))
        case .csv: return try table(text, dialect: .csv)
        case .tsv: return try table(text, dialect: .tsv)
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

    private func table(_ text: ArraySlice<UInt8>, dialect: DelimitedText.Dialect) throws(InputError) -> Input {
        let table = try Table(reading: text, dialect: dialect, columns: columns)
        for field in [fields.id, fields.section, fields.parent, fields.text].compactMap({ $0 })
        where !table.columns.contains(field.name) {
            throw InputError("there is no column \(field.name); there are \(table.columns.joined(separator: ", "))")
        }
        return try arranged(table.rows, firstColumn: table.columns.first.flatMap { FieldPath($0) })
    }

    private func arranged(_ rows: [Row], firstColumn: FieldPath? = nil) throws(InputError) -> Input {
        let arrangement = try Arrangement(of: rows, fields: fields, firstColumn: firstColumn)
        return switch extent {
        case .wholeList: .sections(try arrangement.sections())
        case .oneSection: .items(try arrangement.items())
        }
    }

    private func arranged(_ sections: [Section]) throws(InputError) -> Input {
        try refuseFields()
        switch extent {
        case .wholeList: return .sections(sections)
        case .oneSection:
            guard sections.count == 1 else {
                throw InputError(
                    "the snapshot has \(counted(sections.count, "section")); with --into it needs exactly one")
            }
            return .items(sections[0].items)
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
