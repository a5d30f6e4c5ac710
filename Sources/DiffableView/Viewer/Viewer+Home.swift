import Diffable
import DiffableJSON

// The home screen: the lists as rows of a list. Enter opens one in a tab.

extension Viewer {
    mutating func openHome() {
        guard options.rows == nil else {
            return showMessage("These rows were read from standard input: there are no lists")
        }
        if let home = panes.firstIndex(where: \.isHome) { return select(pane: home) }
        panes.append(.home(options))
        append(.followLists(list: panes.count - 1))
        select(pane: panes.count - 1)
    }

    /// The list that a row opens: on the home screen the row's own, otherwise its `list`.
    func list(of item: ItemID) -> ListName? {
        let name = pane.isHome ? item.description : look(of: item)?.list
        return name.flatMap { try? ListName($0) }
    }

    /// The list of the row under the cursor.
    var selectedList: ListName? { pane.cursor?.item.flatMap { isEnabled($0) ? list(of: $0) : nil } }

    /// Opens the list of a row, next to a sidebar or in a tab.
    mutating func openList(of item: ItemID) {
        guard let name = list(of: item) else { return }
        guard isEnabled(item) else { return showMessage("You may not read the list \(name)") }
        if options.place == .sidebar { append(.openBeside(name)) } else { openList(name) }
    }

    mutating func openList(_ name: ListName) {
        if let known = panes.firstIndex(where: { $0.name == name && !$0.isHome }) { return select(pane: known) }
        panes.append(Pane(name, options: options))
        append(.follow(name, list: panes.count - 1))
        select(pane: panes.count - 1)
    }

    mutating func show(rows: Snapshot, list: Int) {
        guard panes.indices.contains(list) else { return }
        panes[list].rows = rows
        let (snapshot, extent) = panes[list].shownQuery.evaluate(rows)
        let state = ViewedState(
            options.picking == .none ? snapshot : rows, extent: options.picking == .none ? extent : nil,
            revision: panes[list].revision + 1, queryNumber: panes[list].queryNumber - 1)
        receive(state, list: list)
    }
}
