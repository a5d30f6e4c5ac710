import Diffable
import DiffableInput

/// Draws a list for users: sections, with items indented below them, and marks for items with children.
struct OutlineWriter {
    private let terminal: Terminal
    private var output = StandardOutput()

    init(_ terminal: Terminal) { self.terminal = terminal }

    mutating func draw(_ snapshot: Snapshot) {
        var cursor = SnapshotCursor(snapshot)
        var next = cursor.next()
        while let element = next {
            next = cursor.next()
            switch element {
            case .section(let record):
                let section = Section(record: record)
                draw(section.id.description, section.content)
            case .item(let record, let level, let isExpanded, _):
                draw(Item(record: record, isExpanded: isExpanded), level: level, isParent: next.isBelow(level))
            }
        }
        output.flush()
    }

    private mutating func draw(_ section: String, _ content: Content?) {
        let words = ContentSummary.describing(content, of: section)
        let section = harmless(section)
        let line = words.isEmpty || words == section ? section : "\(section)  \(words)"
        output.line(terminal.styled(terminal.fitting(line, fromColumn: 0), .heading))
    }

    private mutating func draw(_ item: Item, level: Int, isParent: Bool) {
        let mark = !isParent ? " " : item.isExpanded == true ? "▾" : "▸"
        let margin = String(repeating: "  ", count: level + 1) + mark
        output.line("\(margin) \(ItemWords(terminal).line(item, fromColumn: margin.count + 1))")
    }
}

extension SnapshotCursor.Element? {
    func isBelow(_ level: Int) -> Bool {
        if case .item(_, let own, _, _)? = self { own > level } else { false }
    }
}
