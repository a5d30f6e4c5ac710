import Diffable
import DiffableJSON
import DiffableStore

/// One life of a list that somebody follows, with an audience for each view of it.
///
/// What a change means is found out once for all views: the list's difference once, what matches once for each way to
/// match, what is folded once for each way to fold. All that is little work is brought up to date together, at the end of
/// a turn or when somebody asks before. What is more than a turn has room for follows when the background has found it:
/// each audience shows one state of the list, the newest or one a little older.
final class FollowedList {
    /// The committed state.
    private(set) var state: ListState
    private(set) var isDeleted = false
    /// It was deleted, and another life of it has begun.
    private(set) var isReplaced = false
    /// The state that audiences show which need no selection.
    private(set) var shownState: ListState
    let background: Background
    /// Of all updates that take several.
    let pages: UpdatePages
    private let becomeDue: (FollowedList) -> Void
    /// Those that a newcomer joins who has an equal view.
    private var audiences: [View: Audience] = [:]
    /// Others, which show what a newcomer is not to be shown.
    private var closedAudiences: [ObjectIdentifier: Audience] = [:]
    private var selections: [LiveSelection.Key: LiveSelection] = [:]
    private var preparations: [ObjectIdentifier: ViewPreparation] = [:]
    private var audiencesMade = 0
    /// The end of this turn is waited for.
    private var isDue = false
    /// What is left of this turn's work on selections.
    private var workLeft: Int
    /// The transaction that led to the current revision, if it was one alone.
    private var lastTransaction: (from: Int, Commit.Transaction)?

    /// - Parameter becomeDue: has it served at the end of the turn.
    init(
        _ state: ListState, _ background: Background, _ pages: UpdatePages = UpdatePages(),
        becomeDue: @escaping (FollowedList) -> Void
    ) {
        self.state = state
        self.shownState = state
        self.background = background
        self.pages = pages
        self.workLeft = background.turn.workMax
        self.becomeDue = becomeDue
    }

    /// Whether nobody follows it any more, or is about to.
    var isEmpty: Bool { audiences.isEmpty && closedAudiences.isEmpty && preparations.isEmpty }

    /// All who follow it, through whatever view.
    var subscriptions: [Subscription] {
        var subscriptions: [Subscription] = []
        forEachAudience { subscriptions += $0.members }
        return subscriptions
    }

    private func forEachAudience(_ body: (Audience) -> Void) {
        for audience in audiences.values { body(audience) }
        if closedAudiences.isEmpty { return }
        for audience in closedAudiences.values { body(audience) }
    }

    // MARK: Turns

    /// Takes over what was committed, and is served at the end of the turn.
    func advance(by commit: Commit) {
        if let operations = lastTransaction?.1.operations, operations.isLong(in: background.turn) {
            background.free(operations, size: .max)
        }
        lastTransaction = nil
        switch commit.event {
        case .created: break
        case .unchanged: return
        case .changed(let from, let step):
            if let step { lastTransaction = (from, step) }
            state = commit.state
        case .deleted: isDeleted = true
        case .replaced: (isDeleted, isReplaced) = (true, true)
        }
        scheduleServing()
    }

    private func scheduleServing() {
        if isDue { return }
        isDue = true
        becomeDue(self)
    }

    /// Shows all audiences what there is now.
    func serve() {
        isDue = false
        workLeft = background.turn.workMax
        update()
        forEachAudience { $0.serve() }
        for preparation in preparations.values { preparation.check() }
    }

    /// Lets every audience show the committed state, unless that takes long.
    func update() {
        guard shownState !== state else { return }
        let old = shownState
        let isOneTransaction = lastTransaction?.from == old.revision
        let step = Transition(
            from: old.snapshot, to: state.snapshot, by: isOneTransaction ? lastTransaction?.1 : nil)
        shownState = state
        // Those who keep up let go of it in this turn.
        if old.snapshot.numberOfItems > background.turn.itemsFreedMax,
            step.operationsAtOnce(in: background.turn)?.isLong(in: background.turn) != false
        {
            background.free(old.snapshot)
        }
        forEachAudience { audience in
            if audience.selection == nil { audience.follow(step, from: old, to: state) }
        }
        if !selections.isEmpty { moveSelections(by: (old, step)) }
    }

    /// The background has brought a selection on.
    func publish(_ selection: LiveSelection) {
        show(selection)
        moveSelections()
        // Also when they are shown nothing new: replies wait until that is known.
        forEachAudience { if $0.selection != nil { $0.wake() } }
        scheduleServing()
    }

    /// Brings all selections as far as they come in this turn; what they are made from comes first.
    private func moveSelections(by step: (from: ListState, Transition)? = nil) {
        for isFirst in [true, false] {
            for selection in selections.values where (selection.source == nil) == isFirst {
                if selection.catchUp(with: self, by: step, workLeft: &workLeft) { show(selection) }
            }
        }
    }

    private func show(_ selection: LiveSelection) {
        guard let (from, step) = selection.lastTransition, let state = selection.state else { return }
        forEachAudience { audience in
            if audience.selection === selection { audience.follow(step, from: from, to: state) }
        }
    }

    // MARK: Audiences

    /// Those who follow it through a view, which is prepared.
    func audience(for view: View) -> Audience {
        update()
        if let audience = audiences[view] {
            if audience.isOpen { return audience }
            closedAudiences[ObjectIdentifier(audience)] = audience
        }
        let selection = selection(for: view, besides: nil)
        selection?.users += 1
        audiencesMade += 1
        let audience = Audience(number: audiencesMade, of: self, through: view, selection)
        audiences[view] = audience
        return audience
    }

    /// Lets go of an audience that nobody is in any more, with the lines that it keeps.
    func leave(_ audience: Audience) {
        guard audience.members.isEmpty else { return }
        if audiences[audience.view] === audience {
            audiences[audience.view] = nil
        } else if closedAudiences.removeValue(forKey: ObjectIdentifier(audience)) == nil {
            return
        }
        release(audience.selection)
    }

    /// Begins to find what a view shows, O(n log n) unless another view has found it already, for somebody who is about
    /// to follow the list through it. What is found is not older than the state that the list has now.
    ///
    /// - Parameters:
    ///   - neighbour: who has a view that may differ in its expansion alone.
    ///   - past: another state, of which it is to be found as well.
    func preparation(for view: View, besides neighbour: Audience? = nil, of past: ListState? = nil) -> ViewPreparation {
        update()
        let selection = selection(for: view, besides: neighbour?.selection)
        selection?.users += 1
        let preparation = ViewPreparation(self, view, selection, of: past)
        preparations[ObjectIdentifier(preparation)] = preparation
        moveSelections()
        preparation.check()
        return preparation
    }

    func leave(_ preparation: ViewPreparation, _ selection: LiveSelection?) {
        guard preparations.removeValue(forKey: ObjectIdentifier(preparation)) != nil else { return }
        release(selection)
    }

    // MARK: Selections

    /// What is found of the selection of a view.
    func stages(of view: View) -> (state: ListState, [LiveSelection.Stage])? {
        guard let selection = selections[LiveSelection.Key(view)], let state = selection.state,
            let stages = selection.stages
        else { return nil }
        return (state, stages)
    }

    private func selection(for view: View, besides neighbour: LiveSelection?) -> LiveSelection? {
        var source: LiveSelection?
        if let matching = view.matching {
            let key = LiveSelection.Key(matchingText: view.matchingText, expansion: .all)
            source = selection(key, matching, of: nil)
        }
        if view.expansion == .all { return source }
        return selection(LiveSelection.Key(view), Selection(view.expansion), of: source, besides: neighbour)
    }

    private func selection(
        _ key: LiveSelection.Key, _ selection: Selection, of source: LiveSelection?,
        besides neighbour: LiveSelection? = nil
    ) -> LiveSelection {
        if let known = selections[key] { return known }
        source?.users += 1
        let made = LiveSelection(key, selection, of: source, besides: neighbour)
        selections[key] = made
        return made
    }

    private func release(_ selection: LiveSelection?) {
        guard let selection else { return }
        selection.users -= 1
        guard selection.users == 0 else { return }
        selections[selection.key] = nil
        if let stage = selection.stage { background.free(stage.snapshot) }
        release(selection.source)
    }
}

extension LiveSelection.Key {
    init(_ view: View) { self.init(matchingText: view.matchingText, expansion: view.expansion) }
}
