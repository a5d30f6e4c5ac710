import Diffable

/// Makes items of rows: finds each one's id, puts children under parents and items into sections.
///
/// Rows keep their order; sections stand in the order in which they first appear. A child may come before its
/// parent, and belongs to its parent's section whatever it says itself.
struct Arrangement {
    /// The fields that were named by options.
    struct Fields: Equatable {
        var id: FieldPath?
        var section: FieldPath?
        var parent: FieldPath?
        var text: FieldPath?

        static let none = Fields()
    }

    /// Where items go that name no section.
    static let defaultSection: SectionID = "main"
    /// Which members identify a row when `--id` names none, the first one that a row has.
    static let usualIDs = ["id", "key", "name"].compactMap { FieldPath($0) }

    private let fields: Fields
    private let idField: FieldPath?
    private let rows: [Row]
    private var ids: [ItemID] = []
    private var positions: [ItemID: Int] = [:]
    /// Indices of rows by the index of the row that they are under.
    private var children: [Int: [Int]] = [:]
    private var topLevel: [Int] = []

    /// - Parameter firstColumn: what identifies the records of a table that has none of the usual names.
    init(of rows: [Row], fields: Fields, firstColumn: FieldPath? = nil) throws(InputError) {
        self.rows = rows
        self.fields = fields
        self.idField = fields.id ?? Arrangement.usualID(of: rows.first) ?? firstColumn
        try identify()
        try attach()
    }

    /// All items in one run, for `--into`.
    func items() throws(InputError) -> [Item] {
        var items: [Item] = []
        items.reserveCapacity(topLevel.count)
        for position in topLevel { items.append(try item(at: position, level: 0)) }
        return items
    }

    func sections() throws(InputError) -> [Section] {
        guard fields.section != nil else {
            return rows.isEmpty ? [] : [Section(id: Arrangement.defaultSection, items: try items())]
        }
        var order: [SectionID] = []
        var items: [SectionID: [Item]] = [:]
        for position in topLevel {
            let section = try section(of: rows[position])
            if items[section] == nil { order.append(section) }
            items[section, default: []].append(try item(at: position, level: 0))
        }
        return order.map { Section(id: $0, items: items[$0] ?? []) }
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
                throw InputError(
                    line: row.line,
                    "the id \(quoted(id)) is taken by line \(rows[other].line); an id stands once in a list\(remedy)")
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
            throw InputError(
                line: row.line,
                "no member \"id\", \"key\" or \"name\" to identify it; say which one does, such as --id .\(names[0])")
        }
        guard let id = try text(of: idField, in: row) else {
            throw InputError(line: row.line, "no \(idField) to identify it; name another field with --id")
        }
        return try identifier(id, of: row, what: "the id in \(idField)")
    }

    private func section(of row: Row) throws(InputError) -> SectionID {
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
    /// Deeper rows are refused here; the daemon's own limit is lower.
    private static let levelsMax = 128

    private mutating func attach() throws(InputError) {
        for (position, row) in rows.enumerated() {
            guard let parent = try parent(of: row) else {
                topLevel.append(position)
                continue
            }
            guard let parentPosition = positions[parent] else {
                throw InputError(
                    line: row.line,
                    "its parent \(quoted(parent)) is no row of this input; leave the field empty at the top level")
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

    /// What hangs together in a circle is reached from no row at the top level.
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
        return Item(id: ids[position], content: try content(of: rows[position]), children: below)
    }

    /// The whole row, or with `--text` only what is to be shown, as `{"text":...}`.
    private func content(of row: Row) throws(InputError) -> Content {
        guard row.id == nil, let field = fields.text else { return row.content }
        return .text(try text(of: field, in: row) ?? [])
    }
}
