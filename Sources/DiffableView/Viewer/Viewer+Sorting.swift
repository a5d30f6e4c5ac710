import Diffable
import DiffableJSON

// Sorts a table by one of its columns: upwards, downwards, and then in the list's own order again.

extension Viewer {
    /// Opens a menu of the columns of the table under the cursor.
    mutating func openColumnMenu() {
        guard let plan = tablePlan else { return showMessage("There are no columns here; s sorts by a path") }
        let columns = scene.composer.tableColumns(plan).sources
        let sorting = pane.filter.sorting
        let actions = columns.enumerated().map { index, column in
            let isSorted = sorting?.path == scene.composer.sortPath(column)
            let sign = sorting?.isDescending == true ? options.symbols.descending : options.symbols.ascending
            let title = column.title.isEmpty ? column.path : column.title
            return Action(id: "\(index)", title: isSorted ? "\(title) \(sign)" : title)
        }
        var menu = Menu(title: "Sort by", actions: actions, row: pane.cursor)
        menu.columns = columns
        menu.selected = columns.firstIndex { scene.composer.sortPath($0) == sorting?.path } ?? 0
        enter(.menu(menu))
    }

    /// The section of the row under the cursor, if it is a table, or else the first table on the screen.
    private var tablePlan: Composer.SectionPlan? {
        let composer = scene.composer
        let item = pane.cursor?.item ?? scene.frames.lazy.compactMap(\.id.item).first
        guard let item, let path = composer.snapshot.indexPath(ofItem: item) else { return nil }
        let plan = composer.plan(path[0])
        return plan.kind == .table ? plan : nil
    }

    mutating func sort(byColumn index: Int, of section: SectionID) {
        guard let place = pane.document.snapshot.index(ofSection: section) else { return }
        let columns = scene.composer.tableColumns(scene.composer.plan(place)).sources
        if columns.indices.contains(index) { sort(by: columns[index]) }
    }

    mutating func sort(by column: TableColumn) {
        let path = scene.composer.sortPath(column)
        let known = pane.filter.sorting
        if known?.path == path, known?.isDescending == true {
            (pane.filter.sort, pane.filter.sortWords) = (options.filter.sort, options.filter.sortWords)
        } else {
            let isDescending = known?.path == path
            // The values of a table that was read as text are strings.
            var members = [ContentValue.Member("path", .text(path)), .init("numeric", .boolean(true))]
            if isDescending { members.append(.init("descending", .boolean(true))) }
            pane.filter.sort = [ContentValue.object(members).json]
            pane.filter.sortWords =
                "\(column.title.isEmpty ? path : column.title) "
                + String(isDescending ? options.symbols.descending : options.symbols.ascending)
        }
        setNeedsDrawing()
    }
}

extension ViewFilter {
    /// The most significant sort key.
    var sorting: Sorting? {
        guard let first = sort.first, let content = try? Content(json: first) else { return nil }
        let value = ContentValue(content)
        guard let path = value.text ?? value["path"]?.text else { return nil }
        return Sorting(path: path, isDescending: value["descending"]?.boolean ?? false)
    }
}
