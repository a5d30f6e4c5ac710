import Diffable

package struct ViewerOptions: Sendable {
    package enum Picking: Sendable { case none, single, multiple }

    package var picking = Picking.none
    /// The text before the words of a picker's search.
    package var prompt = "/"
    /// Keys that pick, besides Enter.
    package var pickingKeys: Set<KeyPress> = []
    /// Whether a command describes the row under the cursor, next to the rows.
    package var hasPreview = false
    /// The rows to show, if they do not come from a daemon.
    package var rows: Snapshot?
    package var symbols = Symbols.unicode
    /// Whether changes are marked only by their sign, and nothing spins.
    package var reducesMotion = false
    package var reportsMouse = true
    /// Whether the terminal's cursor is on the selected row while no text is typed: for screen readers.
    package var showsCursor = false
    package var look: Content?
    package var notice: String?
    package var filter = ViewFilter()
    /// Makes the id of a new item, which must be unique.
    package var newID: @Sendable () -> ItemID = { .random() }
    /// Converts a typed condition and a typed sort key to the protocol's JSON; throws a message for a mistake.
    package var condition: @Sendable (String) throws(TypingError) -> String
    package var sortKey: @Sendable (String) throws(TypingError) -> String

    package init(
        condition: @escaping @Sendable (String) throws(TypingError) -> String,
        sortKey: @escaping @Sendable (String) throws(TypingError) -> String
    ) {
        self.condition = condition
        self.sortKey = sortKey
    }
}

extension ItemID {
    /// 25 random letters and digits: no two are the same.
    fileprivate static func random() -> ItemID {
        let text = String(UInt128.random(in: 0...UInt128.max), radix: 36)
        guard let id = try? ItemID(text) else { preconditionFailure("\(text) is an id") }
        return id
    }
}

package struct TypingError: Error, Equatable {
    package var message: String

    package init(_ message: String) { self.message = message }
}
