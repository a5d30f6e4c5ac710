import Diffable
import DiffableInput

struct ItemWords {
    private let terminal: Terminal

    init(_ terminal: Terminal) { self.terminal = terminal }

    func line(_ item: Item, fromColumn column: Int) -> String {
        line(item.id.description, item.content, fromColumn: column)
    }

    func line(_ id: String, _ content: Content?, fromColumn column: Int) -> String {
        let words = ContentSummary.describing(content, of: id)
        let id = harmless(id)
        guard !words.isEmpty, words != id else { return id }
        let rest = terminal.fitting(words, fromColumn: column + id.count + 2)
        return "\(terminal.styled(id, .dim))  \(rest)"
    }
}
