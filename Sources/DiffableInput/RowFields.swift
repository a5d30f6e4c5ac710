import Diffable

/// Reads the parts of an item from a row: its id, its section, the id of its parent, and its content.
package struct RowFields {
    package let named: ItemBuilder.Fields
    /// The field that identifies rows; nil if each row has its id separately from its content.
    package let id: FieldPath?

    /// The members that may have a row's id when `--id` names none. The first row's first match is used.
    private static let usualIDs = ["id", "key", "name"].compactMap { FieldPath($0) }

    /// `firstColumn` is the field that identifies the records of a table without any of the usual names.
    package init(_ named: ItemBuilder.Fields, firstRow: Row?, firstColumn: FieldPath?) {
        self.named = named
        id = named.id ?? Self.inferredIDField(of: firstRow) ?? firstColumn
    }

    private static func inferredIDField(of row: Row?) -> FieldPath? {
        guard let row, row.id == nil else { return nil }
        return inferredIDField(in: row.content)
    }

    /// The field that identifies a row if no setting names one.
    package static func inferredIDField(in content: Content) -> FieldPath? {
        usualIDs.first { JSONReader(content).value(ofRow: $0)?.text != nil }
    }

    static func firstColumn(of columns: [String]?) -> FieldPath? {
        columns?.first.flatMap { FieldPath(FieldPath.naming($0)) }
    }

    /// Whether rows that begin with this one are identified by the same field, and the row has all named fields.
    package func isSame(firstRow: Row, columns: [String]?) -> Bool {
        do { try named.check(rows: [firstRow]) } catch { return false }
        return RowFields(named, firstRow: firstRow, firstColumn: Self.firstColumn(of: columns)).id == id
    }

    /// The advice for two rows with the same id: a field that is different in all rows, if there is one.
    func remedy(for rows: [Row]) -> InputMessage {
        if rows.allSatisfy({ $0.id != nil && $0.parent == nil }) {
            return "; leave one of the two out\(Self.remedyForLines)"
        }
        guard let id, let first = rows.first else { return "; leave one of the two out" }
        let members = JSONReader(first.content).members.filter { [$0.name] != id.names }
        // Numbers such as sizes are different by chance only.
        let likely =
            members.filter { $0.name.lowercased().hasSuffix("id") }
            + members.filter { Double($0.value.plainText) == nil }
        let path = (likely + members).lazy.map { FieldPath.path(to: $0.name) }.first { Self.isUnique($0, in: rows) }
        guard let path else {
            return "; the ids are from \(id), and no other field differs in every row, so make \(id) unique"
        }
        return
            ": use \(.id, FieldCheck.shellQuoted(path)), which differs in every row (the ids are from \(id))"
    }

    private static let remedyForLines: InputMessage =
        "; if the rows are lines of text, use \(.from, "lines") and \(.id, "hash")"

    private static func isUnique(_ path: String, in rows: [Row]) -> Bool {
        guard let field = FieldPath(path) else { return false }
        var known: Set<[UInt8]> = []
        return rows.allSatisfy { row in
            guard let text = JSONReader(row.content).value(ofRow: field)?.text, (1...255).contains(text.count) else {
                return false
            }
            return known.insert(text).inserted
        }
    }

    package func id(of row: Row, among count: Int) throws(InputError) -> ItemID {
        if let id = row.id {
            return try identifier(id, of: row, what: "the id", remedy: row.parent == nil ? Self.remedyForLines : "")
        }
        guard let field = id else { throw missingField(of: row, among: count) }
        guard let id = try text(of: field, in: row) else {
            throw InputError(
                line: row.line, "the row has no \(field) to identify it; add it, or name another field with \(.id)")
        }
        return try identifier(id, of: row, what: "the id in \(field)")
    }

    private func missingField(of row: Row, among count: Int) -> InputError {
        let names = JSONReader(row.content).memberNames
        guard !names.isEmpty else {
            return InputError(
                line: row.line,
                "the row is not an object with members, so it has no id; use \(.from, "lines") for plain text")
        }
        let array = count == 1 ? JSONRows.pathOfOnlyArray(in: JSONReader(row.content)) : nil
        let remedy: InputMessage =
            array.map { "if the rows are in \($0), use \(.rows, $0)" }
            ?? "name another member, such as \(.id, FieldCheck.shellQuoted(FieldPath.path(to: names[0])))"
        return InputError(
            line: row.line, "the row has no \"id\", \"key\" or \"name\" to identify it; \(remedy)")
    }

    package func section(of row: Row) throws(InputError) -> SectionID {
        if let item = row.item { return item.section }
        guard let field = named.section, let name = try text(of: field, in: row), !name.isEmpty else {
            return ItemBuilder.defaultSection
        }
        return try identifier(name, of: row, what: "the section in \(field)")
    }

    /// Nil at the top level.
    package func parent(of row: Row) throws(InputError) -> ItemID? {
        if let parent = row.parent { return try identifier(parent, of: row, what: "the parent's id") }
        guard row.id == nil, let field = named.parent, let parent = try text(of: field, in: row), !parent.isEmpty
        else { return nil }
        return try identifier(parent, of: row, what: "the parent in \(field)")
    }

    /// The whole row; with `--text`, that field alone, as `{"text":...}`.
    package func content(of row: Row) throws(InputError) -> Content {
        guard row.id == nil, let field = named.text else { return row.content }
        return .text(try text(of: field, in: row) ?? [])
    }

    /// Nil if the member is missing or null.
    private func text(of field: FieldPath, in row: Row) throws(InputError) -> [UInt8]? {
        guard let value = JSONReader(row.content).value(ofRow: field), !value.isNull else { return nil }
        guard let text = value.text else {
            throw InputError(
                line: row.line, "\(field) is \(value.typeDescription); a string or a number is needed there")
        }
        return text
    }

    private func identifier<Named>(
        _ bytes: [UInt8], of row: Row, what: String, remedy: InputMessage = ""
    ) throws(InputError) -> Identifier<Named> {
        let name: Result<Identifier<Named>, IdentifierError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(IdentifierError) in try Identifier(validating: bytes) }
        }
        do { return try name.get() } catch { throw InputError(line: row.line, "\(what) \(error)\(remedy)") }
    }
}
