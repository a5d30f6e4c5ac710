import Diffable

/// Makes items from rows: finds each row's id, and puts children under parents and items into sections. Rows keep their order.
/// Sections have the order in which they first appear. A child may come before its parent in the input, and is always in its
/// parent's section.
package struct ItemBuilder {
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
    package let fields: RowFields
    private let rows: [Row]
    private let orphans: OrphanRule
    private let namedSections: [Section]
    private var ids: [ItemID] = []
    private var positions: [ItemID: Int] = [:]
    /// The indexes of children, by the index of their parent's row.
    private var children: [Int: [Int]] = [:]
    private var topLevel: [Int] = []

    /// `sections` are the named sections of the input, without items. `firstColumn` identifies the records of a table
    /// without any of the usual names.
    init(
        of rows: [Row], in sections: [Section] = [], fields: Fields, firstColumn: FieldPath? = nil,
        orphans: OrphanRule = .refuse
    ) throws(InputError) {
        self.rows = rows
        namedSections = sections
        self.orphans = orphans
        self.fields = RowFields(fields, firstRow: rows.first, firstColumn: firstColumn)
        try identify()
        try attach()
    }

    /// `columns` has the names of a table's columns; nil for rows that are not records of a table.
    package init(
        of rows: [Row], columns: [String]?, fields: Fields, orphans: OrphanRule
    ) throws(InputError) {
        if let columns { try fields.check(columns: columns) }
        try fields.check(rows: rows)
        try self.init(
            of: rows, fields: fields, firstColumn: RowFields.firstColumn(of: columns), orphans: orphans)
    }

    func items() throws(InputError) -> [Item] {
        var items: [Item] = []
        items.reserveCapacity(topLevel.count)
        for position in topLevel { items.append(try item(at: position, level: 0)) }
        return items
    }

    package func sections() throws(InputError) -> [Section] {
        guard fields.named.section != nil || !namedSections.isEmpty else {
            return rows.isEmpty ? [] : [Section(id: ItemBuilder.defaultSection, items: try items())]
        }
        var sections = namedSections
        var items: [SectionID: [Item]] = [:]
        for section in sections { items[section.id] = [] }
        for position in topLevel {
            let section = try fields.section(of: rows[position])
            if items[section] == nil { sections.append(Section(id: section)) }
            items[section, default: []].append(try item(at: position, level: 0))
        }
        return sections.map { Section(id: $0.id, content: $0.content, items: items[$0.id] ?? []) }
    }
}

// MARK: - Identity

extension ItemBuilder {
    private mutating func identify() throws(InputError) {
        ids.reserveCapacity(rows.count)
        positions.reserveCapacity(rows.count)
        for (position, row) in rows.enumerated() {
            let id = try fields.id(of: row, among: rows.count)
            if let other = positions.updateValue(position, forKey: id) {
                let rule: InputMessage = "an id can be in a list only once\(fields.remedy(for: rows))"
                // In JSON, all rows may be on one line.
                if rows[other].line == row.line {
                    throw InputError("row \(position + 1): row \(other + 1) has the id \(quoted(id)) too; \(rule)")
                }
                throw InputError(
                    line: row.line, "line \(rows[other].line) has the id \(quoted(id)) too; \(rule)")
            }
            ids.append(id)
        }
    }
}

// MARK: - Hierarchy

extension ItemBuilder {
    /// Deeper rows are refused. The daemon's limit is lower.
    private static let levelsMax = 128

    private mutating func attach() throws(InputError) {
        for (position, row) in rows.enumerated() {
            guard let parent = try fields.parent(of: row) else {
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
                    "the row's parent \(quoted(parent)) is not a row of this input; leave it empty at the top level, or use "
                        + "\(.orphans, "top")")
            }
            children[parentPosition, default: []].append(position)
        }
        try refuseCircles()
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
                line: rows[position].line, "\(quoted(ids[position])) is its own ancestor; correct its parent")
        }
    }

    private func item(at position: Int, level: Int) throws(InputError) -> Item {
        guard level < ItemBuilder.levelsMax else {
            throw InputError(
                line: rows[position].line,
                "\(quoted(ids[position])) is nested deeper than \(ItemBuilder.levelsMax) levels; correct its parent")
        }
        var below: [Item] = []
        for child in children[position] ?? [] { below.append(try item(at: child, level: level + 1)) }
        if let item = rows[position].item {
            return Item(
                id: ids[position], kind: item.kind, content: item.content, isExpanded: item.isExpanded, children: below)
        }
        return Item(id: ids[position], content: try fields.content(of: rows[position]), children: below)
    }
}
