import Diffable
import DiffableJSON

// Lists that the viewer holds whole. A picker holds lists of up to `locallyQueriedRowsMax` rows, so that it can rank matches; the
// daemon searches longer ones. Rows of standard input are always held, because no daemon has them.

extension Viewer {
    /// The longest list that a picker loads as a whole.
    static let locallyQueriedRowsMax = 100_000

    func ranksLocally(_ list: Int) -> Bool {
        let pane = panes[list]
        guard options.picking != .none else { return false }
        return pane.localList != nil || pane.rowCountMax <= Self.locallyQueriedRowsMax || pane.rows != nil
    }

    /// Whether the list has to be loaded as a whole before a query can be answered.
    func mustLoadWhole(_ query: ViewQuery) -> Bool {
        ranksLocally(selected) && pane.localList?.filter != query.filter.unsearched
    }

    /// The result of the query that a state answers, if the viewer holds the list, otherwise the state.
    mutating func answeringLocally(_ state: ViewedState, isAnswer: Bool, list: Int) -> ViewedState {
        guard options.picking != .none else { return state }
        guard ranksLocally(list), state.isWhole else {
            panes[list].localList = nil
            return state
        }
        let query = isAnswer ? panes[list].askedQuery ?? panes[list].shownQuery : panes[list].shownQuery
        panes[list].localList = LocallyQueriedList(state.snapshot, filter: query.filter)
        if !panes[list].isLoaded, !panes[list].filter.search.isEmpty {
            // The list's appearance decides where to search.
            panes[list].filter.searchedPlaces = searchedPlaces(of: panes[list])
        }
        return panes[list].localList?.state(answering: query, as: state) ?? state
    }

    /// Answers a query from the list that is held, or from the rows of standard input. Returns false if only the daemon can.
    mutating func answerLocally(_ query: ViewQuery, whole: Bool) -> Bool {
        var state = ViewedState(
            Snapshot(), revision: pane.revision, epoch: pane.epoch, queryNumber: pane.queryNumber, notice: pane.notice)
        if !whole, pane.localList != nil {
            state = pane.localList?.state(answering: query, as: state) ?? state
            show(state, list: selected)
            return true
        }
        guard let rows = pane.rows else { return false }
        (state.snapshot, state.extent) = View.of(whole ? query.filter.unsearched.json : query.json).evaluate(rows)
        receive(state, list: selected)
        return true
    }

    /// Collects the texts of the rows of standard input after the first frame, so that the first letter of a search
    /// does not wait for that.
    mutating func prepareSearchedTexts() {
        guard pane.rows != nil, pane.localList?.isPrepared == false else { return }
        var filter = pane.filter
        if filter.search.isEmpty { filter.searchedPlaces = searchedPlaces(of: pane) }
        pane.localList?.collectTexts(for: filter)
    }
}

extension ViewedState {
    fileprivate var isWhole: Bool { extent.map { $0.offset <= 0 && $0.total == snapshot.numberOfItems } ?? true }
}
