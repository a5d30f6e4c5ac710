import Diffable
import DiffableJSON

/// The text of a table's cell and its colour.
package struct TableCell: Equatable, Sendable {
    package var text = ""
    /// Nil for an empty cell.
    package var isNumber: Bool?
    package var tint: Tint?
    package var sign: TintSign?
    /// When the text will be another one, in milliseconds since 1970; nil: never.
    package var changesAt: Int?

    package init() {}

    /// `text` is the item's text, which a column without a path shows. O(length of the content).
    package init(_ column: TableColumn, of item: Item, text: String, content: ContentValue?, _ clock: WallClock) {
        switch column.path {
        case "id": (self.text, isNumber) = (harmlessText(item.id.description), false)
        case "kind": (self.text, isNumber) = (harmlessText(item.kind?.description ?? ""), false)
        case "" where content?.isObject != false: (self.text, isNumber) = (text, false)
        default: if let value = content?.value(at: column.path) { show(value, column.format, clock) }
        }
        let choice = column.tint?.cellTint(content, standardPath: column.path)
        (tint, sign) = (choice?.tint, choice?.sign)
    }

    private mutating func show(_ value: ContentValue, _ format: Format?, _ clock: WallClock) {
        if let shown = format?.text(value, clock) {
            (text, isNumber, changesAt) = (shown.text, true, shown.changesAt)
            return
        }
        switch value {
        case .null: break
        case .boolean(let boolean): (text, isNumber) = (boolean ? "✓" : "–", false)
        case .number(let number): (text, isNumber) = (number, true)
        case .text(let own): (text, isNumber) = (harmlessText(own), false)
        case .array(let elements): (text, isNumber) = ("[\(elements.count)]", false)
        case .object: (text, isNumber) = ("{…}", false)
        }
    }
}
