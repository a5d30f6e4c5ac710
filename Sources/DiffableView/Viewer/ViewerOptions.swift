import Diffable

package struct ViewerOptions: Sendable {
    package enum Picking: Sendable { case none, single, multiple }

    /// The part of the screen that a viewer has.
    enum ScreenPart: Sendable { case whole, side, sidebar, besideSidebar }

    package var picking = Picking.none
    /// The text before the words of a picker's search.
    package var prompt = "/"
    /// Keys that pick, besides Enter.
    package var pickingKeys: Set<KeyPress> = []
    /// The user's commands for the row under the cursor.
    package var commands: [UserCommand] = []
    var place = ScreenPart.whole
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
    /// The seconds that local time is ahead of UTC, at a time in seconds since 1970.
    package var zoneOffset: @Sendable (Int) -> Int = { _ in 0 }
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

/// A command that the user, and not the content of a list, has named.
package struct UserCommand: Sendable {
    package enum Output: Sendable {
        /// Next to the rows, for each row that is selected.
        case preview
        /// Next to the rows, for the row on which the key was pressed.
        case pane
        /// The command has the terminal.
        case terminal
    }

    /// Nil for a preview.
    package var key: KeyPress?
    package var title: String
    package var output: Output

    package init(key: KeyPress?, title: String, output: Output) {
        (self.key, self.title, self.output) = (key, title, output)
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
