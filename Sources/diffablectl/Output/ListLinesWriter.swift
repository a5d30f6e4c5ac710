import Diffable
import DiffableInput

/// Writes a list in the form that `ListLines` reads.
enum ListLinesWriter {
    static func write(_ snapshot: Snapshot, _ write: (Content) -> Void) {
        if let content = snapshot.content { write(line([], content)) }
        ItemRow.walk(snapshot) { section in
            write(line([("section", .string("\(section.id)".utf8))], section.content))
        } item: { row in
            var members: [(String, Content)] = [("section", .string("\(row.section)".utf8))]
            if let parent = row.parent { members.append(("parent", .string("\(parent)".utf8))) }
            members.append(("id", .string("\(row.item.id)".utf8)))
            if let kind = row.item.kind { members.append(("kind", .string("\(kind)".utf8))) }
            let isExpanded = row.item.isExpanded ?? false
            if isExpanded || row.hasChildren { members.append(("expanded", isExpanded ? .true : .false)) }
            write(line(members, row.item.content))
        }
    }

    private static func line(_ members: [(String, Content)], _ content: Content?) -> Content {
        .object(members + (content.map { [("content", $0)] } ?? []))
    }
}
