import Diffable

/// The screen's size, the parts around the rows, and the scroll position.
package struct Viewport: Sendable {
    package var columns: Int
    package var rows: Int
    package var symbols = Symbols.unicode
    package var clock = WallClock()
    /// Nil: from the top.
    package var anchor: Anchor?
    /// A row that must be visible. The rows scroll as little as that requires.
    package var revealed: RowID?
    /// The first visible item of each carousel; the very first item by default.
    package var carouselStarts: [ItemParent: ItemID] = [:]
    /// The number of columns after the first that are scrolled past in a table.
    package var passedColumns: [SectionID: Int] = [:]
    package var tabs: [String] = []
    package var selectedTab = 0
    /// Whether the tabs are drawn even if there is only one, as a title.
    package var showsTitle = false
    package var banner: String?
    package var status: StatusLine?
    /// Whether only matching rows are shown, so that an empty result does not mean an empty list.
    package var isFiltered = false
    /// Whether no state of the list has been received yet, so that it is unknown whether the list is empty.
    package var isLoading = false
    /// Whether a cut cell of a table widens its column. It is true after a move to other rows, and false while the user reads on.
    package var widensTables = false
    package var swipe: Swipe?
    package var field: RowField?
    /// The path that the rows are sorted by, for the titles of tables.
    package var sorting: Sorting?
    package var overlay: Overlay?

    package init(columns: Int, rows: Int) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
    }
}

package struct StatusLine: Equatable, Sendable {
    package var leading: String
    package var trailing: String
    /// The number of characters before the text cursor, if the leading text is being typed.
    package var cursor: Int?
    /// Keys that do something here, the most useful first. They are shown as far as there is room.
    package var hints: [Hint]
    /// Whether the leading text says that something failed.
    package var isError: Bool

    package struct Hint: Equatable, Sendable {
        package var key: String
        package var title: String

        package init(_ key: String, _ title: String) {
            self.key = key
            self.title = title
        }
    }

    package init(
        leading: String = "", trailing: String = "", cursor: Int? = nil, hints: [Hint] = [], isError: Bool = false
    ) {
        self.leading = leading
        self.trailing = trailing
        self.cursor = cursor
        self.hints = hints
        self.isError = isError
    }
}

package struct Sorting: Equatable, Sendable {
    package var path: String
    package var isDescending: Bool

    package init(path: String, isDescending: Bool) {
        self.path = path
        self.isDescending = isDescending
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

package enum Overlay: Equatable, Sendable {
    /// Actions, next to the row that they apply to.
    case menu(title: String?, actions: [Action], selected: Int, of: RowID?)
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
