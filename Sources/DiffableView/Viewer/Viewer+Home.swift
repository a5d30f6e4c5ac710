import Diffable
import DiffableJSON

// The home screen: the lists as rows of a list. Enter opens one in a tab.

extension Viewer {
    mutating func openHome() {
        guard options.rows == nil else { return say("These rows were read from standard input: there are no lists") }
        if let home = panes.firstIndex(where: \.isHome) { return select(pane: home) }
        panes.append(.home(options))
        append(.followLists(list: panes.count - 1))
        select(pane: panes.count - 1)
    }

    /// Opens the list of a row on the home screen, in its tab if it has one.
    mutating func openList(_ item: ItemID) {
        guard let name = try? ListName(item.description) else { return }
        guard isEnabled(item) else { return say("You may not read the list \(name)") }
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
