/// How a section is drawn: what its content says, with the list's as the default.
package struct SectionLook: Equatable, Sendable {
    package var layout = SectionLayout()
    package var appearance = Appearance.plain
    package var header: ItemLook?
    package var footer: ItemLook?
    package var pinsHeader = true
    package var hasSeparators = false
    /// Of a table. Nil: the members of the first items.
    package var columns: [TableColumn]?
    package var selection = SelectionMode.single
    package var canReorder = false
    package var canInsert = false
    /// Performing `more` with this section brings further items.
    package var hasMore = false

    package init() {}
}

package enum Appearance: String, CaseIterable, Sendable { case plain, grouped, insetGrouped, sidebar, sidebarPlain }

package enum SelectionMode: String, Sendable { case none, single, multiple }

package struct SectionLayout: Equatable, Sendable {
    package enum Sort: String, CaseIterable, Sendable { case list, grid, carousel, table }

    package var sort = Sort.list
    /// Of a grid: how many; nil: as many as fit.
    package var columns: Int?
    /// Of a grid's columns, in cells of a terminal or their like.
    package var minWidth: Int?
    /// Of a carousel's items.
    package var itemWidth: Int?
    /// How many lines each item takes.
    package var lines: Int?

    package init() {}
}

package struct TableColumn: Equatable, Sendable {
    package enum Alignment: String, Sendable { case left, center, right }

    /// A JSON pointer into the items' contents, or `id` or `kind`.
    package var path: String
    package var title: String
    /// Nil: numbers to the right, all else to the left.
    package var alignment: Alignment?
    package var width: Int?
}

/// How a list is drawn as a whole.
package struct ListLook: Equatable, Sendable {
    package var title: String?
    package var subtitle: String?
    /// What is shown when there is nothing.
    package var empty: ItemLook?
    /// Those of the list itself, which are done with no item.
    package var actions: [Action] = []

    package init() {}
}
