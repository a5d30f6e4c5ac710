import Diffable

/// Makes items from rows: finds the id of each row, and puts children under parents and items into sections.
///
/// Rows keep their order. Sections have the order in which they first appear. A child may come before its parent, and is
/// always in the section of its parent.
package struct Arrangement {
    /// The fields that options name.
    package struct Fields: Equatable {
        package var id: FieldPath?
        package var section: FieldPath?
        package var parent: FieldPath?
        package var text: FieldPath?

        package static let none = Fields()

        package init(
            id: FieldPath? = nil, section: FieldPath? = nil, parent: FieldPath? = nil, text: FieldPath? = nil
        ) {
            self.id = id
            self.section = section
            self.parent = parent
            self.text = text
        }
    }

    /// The section for rows that name none.
    package static let defaultSection = SectionID.first
    /// The members that may have a row's id when `--id` names none. The first one that a row has counts.
    static let usualIDs = ["id", "key", "name"].compactMap { FieldPath($0) }

    private let fields: Fields
    private let idField: FieldPath?
    private let rows: [Row]
    private let orphans: OrphanRule
    /// The sections that the input names, without items.
    private let namedSections: [Section]
    private var ids: [ItemID] = []
    private var positions: [ItemID: Int] = [:]
    /// The indexes of children, by the index of their parent's row.
    private var children: [Int: [Int]] = [:]
    private var topLevel: [Int] = []

    /// - Parameters:
    ///   - sections: the sections that the input names, without items.
    ///   - firstColumn: what identifies the records of a table that has none of the usual names.
    init(
        of rows: [Row], in sections: [Section] = [], fields: Fields, firstColumn: FieldPath? = nil,
        orphans: OrphanRule = .refuse
    ) throws(InputError) {
        self.rows = rows
        namedSections = sections
        self.orphans = orphans
        self.fields = fields
        self.idField = fields.id ?? Arrangement.usualID(of: rows.first) ?? firstColumn
        try identify()
        try attach()
    }

    /// All items in one array, for `--into`.
    func items() throws(InputError) -> [Item] {
        var items: [Item] = []
        items.reserveCapacity(topLevel.count)
        for position in topLevel { items.append(try item(at: position, level: 0)) }
        return items
    }

    func sections() throws(InputError) -> [Section] {
        guard fields.section != nil || !namedSections.isEmpty else {
            return rows.isEmpty ? [] : [Section(id: Arrangement.defaultSection, items: try items())]
        }
        var sections = namedSections
        var items: [SectionID: [Item]] = [:]
        for section in sections { items[section.id] = [] }
        for position in topLevel {
            let section = try section(of: rows[position])
            if items[section] == nil { sections.append(Section(id: section)) }
            items[section, default: []].append(try item(at: position, level: 0))
        }
        return sections.map { Section(id: $0.id, content: $0.content, items: items[$0.id] ?? []) }
    }
}

// MARK: - Identity

extension Arrangement {
    private static func usualID(of row: Row?) -> FieldPath? {
        guard let row, row.id == nil else { return nil }
        return usualIDs.first { JSONView(row.content).value(at: $0)?.text != nil }
    }

    private mutating func identify() throws(InputError) {
        ids.reserveCapacity(rows.count)
        positions.reserveCapacity(rows.count)
        for (position, row) in rows.enumerated() {
            let id = try id(of: row)
            if let other = positions.updateValue(position, forKey: id) {
                let rule = "an id stands once in a list\(remedy)"
                // JSON may have all of its rows on one line.
                if rows[other].line == row.line {
                    throw InputError("row \(position + 1): the id \(quoted(id)) is taken by row \(other + 1); \(rule)")
                }
                throw InputError(
                    line: row.line, "the id \(quoted(id)) is taken by line \(rows[other].line); \(rule)")
            }
            ids.append(id)
        }
    }

    private var remedy: String {
        idField.map { ": name a field that is unique with --id (now it is \($0))" } ?? ""
    }

    private func id(of row: Row) throws(InputError) -> ItemID {
        if let id = row.id { return try identifier(id, of: row, what: "the id") }
        guard let idField else {
            let names = JSONView(row.content).memberNames
            guard !names.isEmpty else {
                throw InputError(
                    line: row.line, "not an object with members, so it has no id; use --from lines for plain text")
            }
            let array = rows.count == 1 ? JSONRows.nameOfOnlyArray(in: JSONView(row.content)) : nil
            throw InputError(
                line: row.line,
                "no member \"id\", \"key\" or \"name\" to identify it; "
                    + (array.map { "if its rows are in .\($0), say --rows .\($0)" }
                        ?? "say which one does, such as --id .\(names[0])"))
        }
        guard let id = try text(of: idField, in: row) else {
            throw InputError(line: row.line, "no \(idField) to identify it; name another field with --id")
        }
        return try identifier(id, of: row, what: "the id in \(idField)")
    }

    private func section(of row: Row) throws(InputError) -> SectionID {
        if let item = row.item { return item.section }
        guard let field = fields.section, let name = try text(of: field, in: row), !name.isEmpty else {
            return Arrangement.defaultSection
        }
        return try identifier(name, of: row, what: "the section in \(field)")
    }

    /// `nil` when there is no such member or it is null.
    private func text(of field: FieldPath, in row: Row) throws(InputError) -> [UInt8]? {
        guard let value = JSONView(row.content).value(at: field), !value.isNull else { return nil }
        guard let text = value.text else {
            throw InputError(line: row.line, "\(field) is \(value.sort); a string or a number is needed there")
        }
        return text
    }

    private func identifier<Named>(
        _ bytes: [UInt8], of row: Row, what: String
    ) throws(InputError) -> Identifier<Named> {
        let name: Result<Identifier<Named>, IdentifierError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(IdentifierError) in try Identifier(validating: bytes) }
        }
        do { return try name.get() } catch { throw InputError(line: row.line, "\(what) \(error)") }
    }
}

// MARK: - Hierarchy

extension Arrangement {
    /// Deeper rows are refused. The daemon's limit is lower.
    private static let levelsMax = 128

    private mutating func attach() throws(InputError) {
        for (position, row) in rows.enumerated() {
            guard let parent = try parent(of: row) else {
                topLevel.append(position)
                continue
            }
            guard let parentPosition = positions[parent] else {
                if orphans == .top {
                    topLevel.append(position)
                    continue
                }
                throw InputError(
                    line: row.line,
                    "its parent \(quoted(parent)) is no row of this input; leave the field empty at the top level, or say "
                        + "--orphans top")
            }
            children[parentPosition, default: []].append(position)
        }
        try refuseCircles()
    }

    private func parent(of row: Row) throws(InputError) -> ItemID? {
        if let parent = row.parent { return try identifier(parent, of: row, what: "the parent's id") }
        guard row.id == nil, let field = fields.parent, let parent = try text(of: field, in: row), !parent.isEmpty
        else { return nil }
        return try identifier(parent, of: row, what: "the parent in \(field)")
    }

    /// Finds cycles: their rows cannot be reached from the top level.
    private func refuseCircles() throws(InputError) {
        guard !children.isEmpty else { return }
        var reached = [Bool](repeating: false, count: rows.count)
        var pending = topLevel
        while let position = pending.popLast() {
            reached[position] = true
            pending += children[position] ?? []
        }
        if let position = reached.firstIndex(of: false) {
            throw InputError(
                line: rows[position].line, "\(quoted(ids[position])) is its own parent, through others or not")
        }
    }

    private func item(at position: Int, level: Int) throws(InputError) -> Item {
        guard level < Arrangement.levelsMax else {
            throw InputError(
                line: rows[position].line, "\(quoted(ids[position])) stands deeper than \(Arrangement.levelsMax) levels"
            )
        }
        var below: [Item] = []
        for child in children[position] ?? [] { below.append(try item(at: child, level: level + 1)) }
        if let item = rows[position].item {
            return Item(
                id: ids[position], kind: item.kind, content: item.content, isExpanded: item.isExpanded, children: below)
        }
        return Item(id: ids[position], content: try content(of: rows[position]), children: below)
    }

    /// The whole row; with `--text` that field alone, as `{"text":...}`.
    private func content(of row: Row) throws(InputError) -> Content {
        guard row.id == nil, let field = fields.text else { return row.content }
        return .text(try text(of: field, in: row) ?? [])
    }
}
