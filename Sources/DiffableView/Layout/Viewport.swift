import Diffable

/// What is drawn around the rows, and from where on the rows are drawn.
package struct Viewport: Sendable {
    package var columns: Int
    package var rows: Int
    package var symbols = Symbols.unicode
    /// Nil: from the top.
    package var anchor: Anchor?
    /// What must be seen. The rows scroll as little as that takes.
    package var revealed: RowID?
    /// Which item of a carousel is its first; the very first where none is named.
    package var carouselStarts: [Owner: ItemID] = [:]
    /// How many columns behind the first are passed over in a table.
    package var passedColumns: [SectionID: Int] = [:]
    /// The titles of several lists.
    package var tabs: [String] = []
    package var selectedTab = 0
    /// What is wrong: the connection is lost.
    package var banner: String?
    package var status: StatusLine?
    /// Only what matches is shown: that there is nothing says nothing of the list.
    package var isFiltered = false
    /// No state of the list has arrived yet, so it may not be empty.
    package var isLoading = false
    /// Whether a cell of a table that is cut widens its column: then one goes to other rows, and does not read on.
    package var widensTables = false
    /// A row whose actions are laid open.
    package var swipe: Swipe?
    package var overlay: Overlay?

    package init(columns: Int, rows: Int) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
    }
}

package struct StatusLine: Equatable, Sendable {
    package var leading: String
    package var trailing: String
    /// Of a text that is being typed: how many of the leading text's characters are before the cursor.
    package var cursor: Int?

    package init(leading: String = "", trailing: String = "", cursor: Int? = nil) {
        self.leading = leading
        self.trailing = trailing
        self.cursor = cursor
    }
}

package struct Swipe: Equatable, Sendable {
    package enum Edge: Sendable { case leading, trailing }

    package var id: RowID
    package var edge: Edge
    package var selected: Int

    package init(id: RowID, edge: Edge, selected: Int = 0) {
        self.id = id
        self.edge = edge
        self.selected = selected
    }
}

/// What lies over the rows.
package enum Overlay: Equatable, Sendable {
    /// Actions, beside the row that they are done with.
    case menu(title: String?, actions: [Action], selected: Int, of: RowID?)
    /// A question with its answers.
    case question(String, answers: [Answer], selected: Int)
    case help([HelpSection], line: Int)

    package struct Answer: Equatable, Sendable {
        package var title: String
        package var isDestructive: Bool

        package init(_ title: String, isDestructive: Bool = false) {
            self.title = title
            self.isDestructive = isDestructive
        }
    }

    package struct HelpSection: Equatable, Sendable {
        package struct Line: Equatable, Sendable {
            package var keys: String
            package var text: String

            package init(_ keys: String, _ text: String) {
                self.keys = keys
                self.text = text
            }
        }

        package var title: String
        package var lines: [Line]

        package init(_ title: String, _ lines: [Line]) {
            self.title = title
            self.lines = lines
        }
    }
}
