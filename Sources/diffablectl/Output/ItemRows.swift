import Diffable
import DiffableInput

struct ItemRow {
    var item: Item
    var section: SectionID
    var parent: ItemID?
    var hasChildren: Bool

    static func all(of snapshot: Snapshot) -> [ItemRow] {
        var rows: [ItemRow] = []
        rows.reserveCapacity(snapshot.numberOfItems)
        walk(snapshot, section: { _ in }, item: { rows.append($0) })
        return rows
    }

    static func walk(
        _ snapshot: Snapshot, section visitSection: (Section) -> Void, item visitItem: (ItemRow) -> Void
    ) {
        var section: SectionID?
        /// The items that may be ancestors of the next one.
        var above: [ItemID] = []
        var cursor = SnapshotCursor(snapshot)
        var next = cursor.next()
        while let element = next {
            next = cursor.next()
            switch element {
            case .section(let record):
                let new = Section(record: record)
                section = new.id
                visitSection(new)
            case .item(let record, let level, let isExpanded, _):
                let item = Item(record: record, isExpanded: isExpanded)
                above.removeLast(above.count - min(above.count, level))
                guard let section else { preconditionFailure("a section comes before its items") }
                visitItem(
                    ItemRow(item: item, section: section, parent: above.last, hasChildren: next.isBelow(level)))
                above.append(item.id)
            }
        }
    }
}

enum ItemColumn: Hashable {
    case section
    case parent
    case field(ItemField)
    case plainContent

    init(checking text: String) throws {
        switch text {
        case "section": self = .section
        case "parent": self = .parent
        default: self = .field(try ItemField(checking: text))
        }
    }

    var title: String {
        switch self {
        case .section: "section"
        case .parent: "parent"
        case .plainContent: "."
        case .field(.id): "id"
        case .field(.kind): "kind"
        case .field(.content(let path)):
            switch path.names.count == 1 ? FieldPath.naming(path.names[0]) : path.description {
            case let name where Self.ownNames.contains(name): ".\(name)"
            case let name: name
            }
        }
    }

    func value(in row: ItemRow) -> Content? {
        switch self {
        case .section: .string("\(row.section)".utf8)
        case .parent: row.parent.map { .string("\($0)".utf8) }
        case .field(let field): field.value(in: row.item)
        case .plainContent: row.item.content.flatMap { JSONReader($0).isObject ? nil : $0 }
        }
    }

    /// The name of the member that the column shows; nil for other columns, and if the name is taken by one of them.
    private var member: String? {
        guard case .field(.content(let path)) = self, path.names.count == 1, !Self.ownNames.contains(path.names[0])
        else {
            return nil
        }
        return path.names[0]
    }

    var columnName: String { member ?? title }

    var memberName: String {
        if let member { return member }
        let name = title.drop { $0 == "." }
        return name.isEmpty || Self.ownNames.contains(String(name)) ? title : String(name)
    }

    private static let ownNames = ["id", "kind", "section", "parent"]

    /// Empty for a missing value and for null.
    func text(in row: ItemRow) -> String {
        guard let view = value(in: row).map({ JSONReader($0) }), !view.isNull else { return "" }
        return view.plainText
    }
}

extension ItemColumn {
    static func usual(for rows: [ItemRow]) -> [ItemColumn] {
        var columns: [ItemColumn] = [.field(.id)]
        if rows.contains(where: { $0.item.kind != nil }) { columns.append(.field(.kind)) }
        if Set(rows.map(\.section)).count > 1 { columns.append(.section) }
        if rows.contains(where: { $0.parent != nil }) { columns.append(.parent) }
        var names: [String] = []
        var known: Set<String> = []
        var isAnyPlain = false
        for row in rows {
            guard let content = row.item.content.map({ JSONReader($0) }) else { continue }
            if content.isObject {
                for name in content.memberNames where known.insert(name).inserted { names.append(name) }
            } else {
                isAnyPlain = true
            }
        }
        columns += names.compactMap { FieldPath(FieldPath.naming($0)) }.map { .field(.content($0)) }.filter { column in
            // A member that repeats the id, as in rows of a table, is left out.
            column.title != ".id" || rows.contains { column.text(in: $0) != "\($0.item.id)" }
        }
        return isAnyPlain ? columns + [.plainContent] : columns
    }
}
