import Diffable

package struct InputReader {
    package var format: InputFormat
    package var fields: ItemBuilder.Fields = .none
    /// Names of the columns of a table that has no header line.
    package var columns: [String]?
    /// The separator of CSV fields. By default it is guessed from the first line.
    package var separator: UInt8?
    package var types: ColumnTypes?
    package var rows: FieldPath?
    package var lineIDs: LineIDs?
    package var orphans = OrphanRule.refuse
    package var limits = InputLimits.none
    /// Whether all items belong to one section that is named elsewhere.
    package var extent: Extent = .wholeList

    package enum Extent {
        case wholeList
        case oneSection
    }

    package init(
        format: InputFormat, fields: ItemBuilder.Fields = .none, columns: [String]? = nil, separator: UInt8? = nil,
        types: ColumnTypes? = nil, rows: FieldPath? = nil, lineIDs: LineIDs? = nil, orphans: OrphanRule = .refuse,
        limits: InputLimits = .none, extent: Extent = .wholeList
    ) {
        self.format = format
        self.fields = fields
        self.columns = columns
        self.separator = separator
        self.types = types
        self.rows = rows
        self.lineIDs = lineIDs
        self.orphans = orphans
        self.limits = limits
        self.extent = extent
    }

    package func read(_ input: [UInt8]) throws(InputError) -> Input {
        switch try rows(of: input) {
        case .rows(let rows, let columns): try arranged(rows, columns)
        case .list(let list): try arranged(list)
        }
    }

    package func rows(of input: [UInt8]) throws(InputError) -> InputRows {
        let text = try checkedText(input)
        switch format {
        case .json:
            if let rows { return .rows(try JSONRows.elements(of: text, at: rows, limits), columns: nil) }
            if let list = try JSONRows.snapshot(in: text) {
                if let excess = limits.excess(rows: Input.whole(list).count) { throw excess }
                return .list(list)
            }
            return .rows(try JSONRows.elements(of: text, limits), columns: nil)
        case .ndjson:
            let rows = try JSONRows.lines(of: text, limits)
            if fields == .none, let list = try ListLines(rows) {
                let builder = try ItemBuilder(
                    of: list.rows, in: list.sections, fields: fields, orphans: orphans)
                return .list(
                    WholeList(content: list.content.map { .some($0) }, sections: try builder.sections()))
            }
            return .rows(rows, columns: nil)
        case .csv, .tsv:
            let dialect: DelimitedText.Dialect = format == .csv ? .csv : .tsv
            let table = try Table(
                reading: text, dialect: dialect, columns: columns, separator: separator, types: types, limits)
            return .rows(table.rows, columns: table.columns)
        case .columns:
            try limits.checkAligned(text)
            let table = try Table(aligned: text, columns: columns, types: types, limits)
            return .rows(table.rows, columns: table.columns)
        case .lines: return .rows(try plainLines(text), columns: nil)
        case .tree:
            try refuseFields()
            return .rows(try OutlineReader.rows(in: text, limits), columns: nil)
        }
    }

    private func plainLines(_ text: ArraySlice<UInt8>) throws(InputError) -> [Row] {
        try refuseFields()
        var rows = RowCollector(limits)
        var naming = LineNaming(lineIDs)
        for (line, text) in TextLines(text) {
            try rows.append(Row(content: .text(text), line: line, id: naming.id(of: text, line: line)))
        }
        return rows.rows
    }

    private func arranged(_ rows: [Row], _ columns: [String]?) throws(InputError) -> Input {
        let builder = try ItemBuilder(of: rows, columns: columns, fields: fields, orphans: orphans)
        return switch extent {
        case .wholeList: .whole(WholeList(sections: try builder.sections()))
        case .oneSection: .items(try builder.items())
        }
    }

    private func arranged(_ list: WholeList) throws(InputError) -> Input {
        try refuseFields()
        switch extent {
        case .wholeList: return .whole(list)
        case .oneSection:
            guard list.sections.count == 1 else {
                throw InputError(
                    "the snapshot has \(counted(list.sections.count, "section")); with \(.into) it needs exactly one: leave \(.into) "
                        + "out")
            }
            return .items(list.sections[0].items)
        }
    }

    private func refuseFields() throws(InputError) {
        guard fields == .none else { throw Self.fieldsRefused }
    }

    /// For formats whose rows have no fields.
    package static let fieldsRefused = InputError(
        "\(.id), \(.section), \(.parent) and \(.text) name fields, and there are none in a snapshot, in \(.from, "lines") or in "
            + "\(.from, "tree"): leave them out, or use another \(.from). With \(.from, "lines"), you can use \(.id, "number") or "
            + "\(.id, "hash")")
}

package enum InputRows {
    /// Rows, and the columns if they are records of a table.
    case rows([Row], columns: [String]?)
    case list(WholeList)
}
