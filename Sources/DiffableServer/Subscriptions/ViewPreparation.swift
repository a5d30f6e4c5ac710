import Diffable
import DiffableJSON
import DiffableStore

/// The computation of a view's rows, before a request can be carried out or a subscription can begin.
///
/// It holds the selection and the states that it needs until `end`.
final class ViewPreparation {
    let list: FollowedList?
    private let selection: LiveSelection?
    /// The list's revision when this began, which the caller may already know.
    private let revision: Int
    private var past: EarlierRows
    /// Called once, when everything is computed.
    var whenReady: (() -> Void)?
    private(set) var isReady = false
    /// Whether it was given up because its user has no memory left.
    private(set) var isRefused = false
    private var hasEnded = false
    /// Called when its turn has come: whether its user still has memory left.
    private var mayBegin: () -> Bool = { true }

    private enum EarlierRows {
        case isNotWanted
        case isWanted(ListState, View)
        case isLookedFor
        case isFound(ListState, ShownRows)
    }

    /// Prepares a view for a client that is about to follow the list.
    ///
    /// - Parameter past: another state whose rows are to be computed, and the view that shows them.
    init(_ list: FollowedList, _ selection: LiveSelection?, of past: (state: ListState, view: View)?) {
        self.list = list
        self.selection = selection
        self.revision = list.state.revision
        self.past = past.map { .isWanted($0.state, $0.view) } ?? .isNotWanted
    }

    /// Prepares a view of one state for a client that reads it once. Other clients may follow the list.
    init(
        _ state: ListState, through view: View, _ followed: FollowedList?, _ background: Background,
        mayBegin: @escaping () -> Bool
    ) {
        self.mayBegin = mayBegin
        list = nil
        selection = nil
        revision = 0
        past = .isLookedFor
        computeEarlierRows(for: state, through: view, followed, background)
    }

    /// The rows of the other state, and that state; nil until they are computed.
    var found: (state: ListState, rows: ShownRows)? {
        if case .isFound(let state, let rows) = past { (state, rows) } else { nil }
    }

    /// Memory of the rows of an earlier state, in bytes.
    var lengthFound: Int { (found?.rows.snapshot.numberOfItems ?? 0) * Self.lengthOfRow }

    /// The approximate memory of one row, in bytes.
    static let lengthOfRow = 32

    /// Checks whether everything is computed. For a deleted list, nothing more is computed.
    func check() {
        guard !isReady, !hasEnded, let list else { return }
        if !list.isDeleted {
            if selection?.isRefused == true { return refuse() }
            if let selection, (selection.state?.revision ?? -1) < revision { return }
            switch past {
            case .isWanted(let state, let view):
                return computeEarlierRows(for: state, through: view, list, list.background)
            case .isLookedFor: return
            case .isNotWanted, .isFound: break
            }
        }
        becomeReady()
    }

    private func refuse() {
        isRefused = true
        becomeReady()
    }

    private func becomeReady() {
        isReady = true
        let whenReady = whenReady
        self.whenReady = nil
        whenReady?()
    }

    private func computeEarlierRows(
        for state: ListState, through view: View, _ followed: FollowedList?, _ background: Background
    ) {
        past = .isLookedFor
        let known = followed?.state.epoch == state.epoch ? followed?.stages(of: view) : nil
        if let known, known.state === state, let rows = known.1.last?.snapshot {
            return setEarlierRows(rows, of: state, through: view)
        }
        if view.matching == nil, view.expansion == .all {
            return setEarlierRows(state.snapshot, of: state, through: view)
        }
        let find: @Sendable () -> Snapshot = {
            guard let stages = known?.1 else { return view.rowsBeforeWindow(of: state.snapshot) }
            return stages.reduce(state.snapshot) { $1.shown(of: $0) }
        }
        if view.isQuickToEvaluate(on: state.snapshot, workMax: background.turn.workMax) {
            return setEarlierRows(find(), of: state, through: view)
        }
        let isWanted = { [self] in
            if hasEnded { return false }
            if mayBegin() { return true }
            refuse()
            return false
        }
        background.compute(size: state.snapshot.numberOfItems, while: isWanted, find) { [self] rows in
            if !hasEnded { setEarlierRows(rows, of: state, through: view) }
        }
    }

    private func setEarlierRows(_ rows: Snapshot, of state: ListState, through view: View) {
        past = .isFound(state, view.window.shown(of: rows))
        becomeReady()
    }

    /// Releases the selection and the states that it holds.
    func end() {
        hasEnded = true
        whenReady = nil
        list?.leave(self, selection)
    }
}
