import Diffable
import DiffableJSON
import DiffableStore

/// What has to be found before a request can be carried out, or a subscription begun: what a view shows of a list.
///
/// It holds on to what it needs until `end`.
final class ViewPreparation {
    let list: FollowedList?
    private let selection: LiveSelection?
    /// The list's, when this began: whoever asks has heard of it.
    private let revision: Int
    private var past: Past
    /// Called once, when all is found.
    var whenReady: (() -> Void)?
    private(set) var isReady = false
    /// Whether it was given up because its user has no memory left.
    private(set) var isRefused = false
    private var hasEnded = false
    /// Whether its user has memory left when its turn has come.
    private var mayBegin: () -> Bool = { true }

    private enum Past {
        case isNotWanted
        case isWanted(ListState, View)
        case isLookedFor
        case isFound(ListState, ShownRows)
    }

    /// For somebody who is about to follow the list.
    ///
    /// - Parameter past: another state to find rows of, and the view that shows them.
    init(_ list: FollowedList, _ selection: LiveSelection?, of past: (state: ListState, view: View)?) {
        self.list = list
        self.selection = selection
        self.revision = list.state.revision
        self.past = past.map { .isWanted($0.state, $0.view) } ?? .isNotWanted
    }

    /// For somebody who reads one state of a list, which may be followed by others.
    init(
        _ state: ListState, through view: View, _ followed: FollowedList?, _ background: Background,
        mayBegin: @escaping () -> Bool
    ) {
        self.mayBegin = mayBegin
        list = nil
        selection = nil
        revision = 0
        past = .isLookedFor
        look(for: state, through: view, followed, background)
    }

    /// What was wanted of another state than the current one, and which.
    var found: (state: ListState, rows: ShownRows)? {
        if case .isFound(let state, let rows) = past { (state, rows) } else { nil }
    }

    /// Memory of the rows of an earlier state, in bytes.
    var lengthFound: Int { (found?.rows.snapshot.numberOfItems ?? 0) * Self.lengthOfRow }

    /// The approximate memory of one row, in bytes.
    static let lengthOfRow = 32

    /// Looks whether all is found. Of a list that was deleted nothing more is.
    func check() {
        guard !isReady, !hasEnded, let list else { return }
        if !list.isDeleted {
            if selection?.isRefused == true { return refuse() }
            if let selection, (selection.state?.revision ?? -1) < revision { return }
            switch past {
            case .isWanted(let state, let view): return look(for: state, through: view, list, list.background)
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

    private func look(
        for state: ListState, through view: View, _ followed: FollowedList?, _ background: Background
    ) {
        past = .isLookedFor
        let known = followed?.state.epoch == state.epoch ? followed?.stages(of: view) : nil
        if let known, known.state === state, let rows = known.1.last?.snapshot {
            return use(rows, of: state, through: view)
        }
        if view.matching == nil, view.expansion == .all { return use(state.snapshot, of: state, through: view) }
        let find: @Sendable () -> Snapshot = {
            guard let stages = known?.1 else { return view.rows(of: state.snapshot) }
            return stages.reduce(state.snapshot) { $1.shown(of: $0) }
        }
        if view.isShort(for: state.snapshot, workMax: background.turn.workMax) {
            return use(find(), of: state, through: view)
        }
        let isWanted = { [self] in
            if hasEnded { return false }
            if mayBegin() { return true }
            refuse()
            return false
        }
        background.find(size: state.snapshot.numberOfItems, while: isWanted, find) { [self] rows in
            if !hasEnded { use(rows, of: state, through: view) }
        }
    }

    private func use(_ rows: Snapshot, of state: ListState, through view: View) {
        past = .isFound(state, view.window.shown(of: rows))
        becomeReady()
    }

    /// Lets go of what it holds.
    func end() {
        hasEnded = true
        whenReady = nil
        list?.leave(self, selection)
    }
}
