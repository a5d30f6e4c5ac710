import Diffable
import DiffableJSON
import DiffableStore

/// One life of a list that somebody follows, with an audience for each view of it.
///
/// What a change means is found out once for all views: the list's difference once, what matches once for each way to
/// match, what is folded once for each way to fold. All audiences are brought up to date together, at the end of a turn
/// or when somebody asks before, so that each step leads all of them from the same state to the same state.
final class FollowedList {
    /// The committed state.
    private(set) var state: ListState
    private(set) var isDeleted = false
    /// It was deleted, and another life of it has begun.
    private(set) var isReplaced = false
    /// The state that the audiences show.
    private(set) var shownState: ListState
    private var audiences: [View: Audience] = [:]
    private var selections: [LiveSelection.Key: LiveSelection] = [:]
    private var audiencesMade = 0
    /// The end of this turn is waited for.
    private var isDue = false
    /// The transaction that led to the current revision, if it was one alone.
    private var lastTransaction: (from: Int, Commit.Step)?

    init(_ state: ListState) {
        self.state = state
        self.shownState = state
    }

    /// Whether nobody follows it any more.
    var isEmpty: Bool { audiences.isEmpty }

    /// All who follow it, through whatever view.
    var subscriptions: [Subscription] { audiences.values.flatMap(\.members) }

    // MARK: Turns

    /// Takes over what was committed; true when that makes the list due at the end of the turn.
    func advance(by commit: Commit) -> Bool {
        lastTransaction = nil
        switch commit.event {
        case .created: break
        case .unchanged: return false
        case .changed(let from, let step):
            if let step { lastTransaction = (from, step) }
            state = commit.state
        case .deleted: isDeleted = true
        case .replaced: (isDeleted, isReplaced) = (true, true)
        }
        if isDue { return false }
        isDue = true
        return true
    }

    /// Shows all audiences what there is now.
    func serve() {
        isDue = false
        update()
        for audience in audiences.values { audience.serve() }
    }

    /// Lets every audience show the committed state.
    func update() {
        guard shownState !== state else { return }
        let old = shownState
        let isOneTransaction = lastTransaction?.from == old.revision
        let step = Step(
            from: old.snapshot, to: state.snapshot, by: isOneTransaction ? lastTransaction?.1 : nil)
        shownState = state
        for audience in audiences.values { audience.follow(step, from: old) }
    }

    // MARK: Audiences

    /// Those who follow it through a view. What they are shown is found at once: O(n log n) for the first of them, unless
    /// another view has found it already.
    ///
    /// - Parameter neighbour: who has a view that may differ in its expansion alone.
    func audience(for view: View, besides neighbour: Audience? = nil) -> Audience {
        update()
        if let audience = audiences[view] { return audience }
        let selection = selection(for: view, besides: neighbour?.selection)
        selection?.users += 1
        audiencesMade += 1
        let audience = Audience(number: audiencesMade, of: self, through: view, selection)
        audiences[view] = audience
        return audience
    }

    /// Lets go of an audience that nobody is in any more, with the lines that it keeps.
    func leave(_ audience: Audience) {
        guard audience.members.isEmpty, audiences[audience.view] === audience else { return }
        audiences[audience.view] = nil
        release(audience.selection)
    }

    /// What a view shows of the list, or of an earlier state of it.
    func shown(of other: ListState, through view: View) -> (snapshot: Snapshot, extent: Window.Extent?) {
        update()
        guard let selection = selections[LiveSelection.Key(view)] else { return view.evaluate(other.snapshot) }
        let isCurrent = other === shownState
        let shown =
            isCurrent ? selection.snapshot : selection.shown(of: other.snapshot, besides: shownState.snapshot)
        guard let extract = view.window?.extract(from: shown) else { return (shown, nil) }
        return (extract.snapshot, extract.extent)
    }

    // MARK: Selections

    private func selection(for view: View, besides neighbour: LiveSelection?) -> LiveSelection? {
        var source: LiveSelection?
        if let matching = view.matching {
            let key = LiveSelection.Key(matchingText: view.matchingText, expansion: .all)
            source = selection(key, matching, of: nil) { matching.evaluate(shownState.snapshot) }
        }
        if view.expansion == .all { return source }
        let key = LiveSelection.Key(view)
        let folding = Selection(view.expansion)
        return selection(key, folding, of: source) {
            let all = source?.snapshot ?? shownState.snapshot
            if let neighbour, neighbour.key.matchingText == key.matchingText, neighbour.key.expansion != .all {
                return neighbour.shown(with: view.expansion, of: all)
            }
            return folding.evaluate(all)
        }
    }

    private func selection(
        _ key: LiveSelection.Key, _ selection: Selection, of source: LiveSelection?, showing snapshot: () -> Snapshot
    ) -> LiveSelection {
        if let known = selections[key] { return known }
        source?.users += 1
        let made = LiveSelection(key, selection, of: source, showing: snapshot())
        selections[key] = made
        return made
    }

    private func release(_ selection: LiveSelection?) {
        guard let selection else { return }
        selection.users -= 1
        guard selection.users == 0 else { return }
        selections[selection.key] = nil
        release(selection.source)
    }
}

extension LiveSelection.Key {
    init(_ view: View) { self.init(matchingText: view.matchingText, expansion: view.expansion) }
}
