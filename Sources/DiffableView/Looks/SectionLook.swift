import DiffableJSON

/// The appearance of a section: the values of its content, with the list's as defaults.
package struct SectionLook: Equatable, Sendable {
    package var layout = SectionLayout()
    package var appearance = Appearance.plain
    package var header: ItemLook?
    package var footer: ItemLook?
    package var pinsHeader = true
    package var hasSeparators = false
    /// The columns of a table. Nil: the members of the first items.
    package var columns: [TableColumn]?
    package var selection = SelectionMode.single
    package var canReorder = false
    package var canInsert = false
    /// The members `kind` and `content` of a new item.
    package var template: ContentValue?
    package var hidesWhenEmpty = false
    package var hasMore = false

    package init() {}
}

package enum Appearance: String, CaseIterable, Sendable { case plain, grouped, insetGrouped, sidebar, sidebarPlain }

package enum SelectionMode: String, Sendable { case none, single, multiple }

package struct SectionLayout: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable { case list, grid, carousel, table }

    package var kind = Kind.list
    /// The number of a grid's columns; nil: as many as fit.
    package var columns: Int?
    /// The minimal width of a grid's columns, in cells of a terminal or equivalent units.
    package var minWidth: Int?
    package var itemWidth: Int?
    package var lines: Int?

    package init() {}
}

package struct TableColumn: Equatable, Sendable {
    package enum Alignment: String, Sendable { case left, center, right }

    /// A JSON pointer into the items' contents, or `id` or `kind`.
    package var path: String
    package var title: String
    /// Nil: numbers on the right, everything else on the left.
    package var alignment: Alignment?
    package var width: Int?
    package var format: Format?
    /// A tint, or a tint by the value at a path, which is the column's own if none is named.
    package var tint: ContentValue?
}

package struct ListLook: Equatable, Sendable {
    package var title: String?
    package var subtitle: String?
    package var empty: ItemLook?
    /// The actions of the list itself, which apply to no item.
    package var actions: [Action] = []

    package init() {}
}
