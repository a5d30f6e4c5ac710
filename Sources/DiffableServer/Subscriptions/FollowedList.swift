import Diffable
import DiffableJSON
import DiffableStore

/// One life of a list that somebody follows, with an audience for each view of it.
///
/// What a change means is found out once for all views: the list's difference once, what matches once for each way to
/// match, what is folded once for each way to fold. All that is little work is brought up to date together, at the end of
/// a turn or when somebody asks before. What is more than a turn has room for follows when the background has found it:
/// each audience shows one state of the list, the newest or one a little older.
///
/// A change costs those whom it concerns: a view that shows nothing new is not met on the way (`LiveSelections`).
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
    /// Those whose windows have a position of their own, although they have equal views.
    private var movingAudiences: [View: [Audience]] = [:]
    /// Those that show the list itself, or a window over it.
    private var wholeAudiences = UnorderedGroup(\Audience.position)
    /// Those that show something that they have not served yet.
    private var dueAudiences: [Audience] = []
    /// Those that keep lines, of them that may not hear of the next change.
    private(set) var audiencesWithLines = UnorderedGroup(\Audience.positionAmongLines)
    /// Nil until there is a view that needs one.
    private(set) var selections: LiveSelections?
    private var preparations: [ObjectIdentifier: ViewPreparation] = [:]
    private var audiencesMade = 0
    /// The end of this turn is waited for.
    private var isDue = false
    /// It has views that are brought up to date after the next look at the sockets.
    private var isPostponed = false
    private var isResumed = false
    /// Called when it is postponed. It is to be resumed after the next look at the sockets.
    var onWorkLeft: () -> Void = {}
    /// Called when a subscriber does not get a change at once.
    var onLag: () -> Void = {}
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
        self.becomeDue = becomeDue
    }

    /// Whether nobody follows it any more, or is about to.
    var isEmpty: Bool { audiences.isEmpty && movingAudiences.isEmpty && preparations.isEmpty }

    /// All who follow it, through whatever view.
    var subscriptions: [Subscription] {
        var subscriptions: [Subscription] = []
        forEachAudience { $0.members.forEach { subscriptions.append($0) } }
        return subscriptions
    }

    private func forEachAudience(_ body: (Audience) -> Void) {
        for audience in audiences.values { body(audience) }
        if movingAudiences.isEmpty { return }
        for audiences in movingAudiences.values { for audience in audiences { body(audience) } }
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

    func scheduleServing() {
        if isDue { return }
        isDue = true
        becomeDue(self)
    }

    /// Shows all audiences what there is now.
    func serve() {
        isDue = false
        selections?.beginTurn()
        update()
        if isResumed {
            isResumed = false
            selections?.moveMore()
        }
        if isDeleted { forEachAudience { $0.serve() } }
        for audience in takeDueAudiences() { audience.serve() }
        for preparation in preparations.values { preparation.check() }
        if selections?.isWorkLeft == true, !isPostponed {
            isPostponed = true
            onWorkLeft()
        }
    }

    /// The sockets have been looked at since it was postponed.
    func resume() {
        isPostponed = false
        isResumed = true
        scheduleServing()
    }

    private func takeDueAudiences() -> [Audience] {
        if dueAudiences.isEmpty { return [] }
        var due: [Audience] = []
        swap(&due, &dueAudiences)
        return due
    }

    /// It shows something new: that is served at the end of the turn.
    func noteShown(by audience: Audience) { dueAudiences.append(audience) }

    /// It keeps lines that name the current revision.
    func noteLines(of audience: Audience) { audiencesWithLines.add(audience) }

    private func dropLines() {
        audiencesWithLines.forEach { $0.dropLines() }
        audiencesWithLines.removeAll()
    }

    /// Lets every audience show the committed state, unless that takes long.
    func update() {
        guard shownState !== state else { return }
        let old = shownState
        let isOneTransaction = lastTransaction?.from == old.revision
        let step = Transition(
            from: old.snapshot, to: state.snapshot, by: isOneTransaction ? lastTransaction?.1 : nil)
        selections?.wake(by: step, from: old, to: state)
        shownState = state
        dropLines()
        // Those who keep up let go of it in this turn.
        if old.snapshot.numberOfItems > background.turn.itemsFreedMax,
            step.operationsAtOnce(in: background.turn)?.isLong(in: background.turn) != false
        {
            background.free(old.snapshot)
        }
        wholeAudiences.forEach { $0.follow(step, from: old, to: state) }
        selections?.move(by: (old, step))
    }

    /// The background has brought a selection on.
    func publish(_ selection: LiveSelection) { selections?.publish(selection) }

    // MARK: Audiences

    /// Those who follow it through a view, which is prepared.
    ///
    /// - Parameters:
    ///   - sent: the rows that a subscriber has; nil for a new one.
    ///   - isSameView: whether these were sent for the same view.
    func audience(for view: View, after sent: RenderedView? = nil, isSameView: Bool = true) -> Audience {
        update()
        guard let window = view.window, window.isMoving else {
            if let audience = audiences[view] { return audience }
            let audience = makeAudience(for: view)
            audiences[view] = audience
            return audience
        }
        let known = movingAudiences[view, default: []]
        let selection = known.first?.selection ?? selection(for: view, besides: nil, for: nil)
        let rows = selection == nil ? shownState.snapshot : selection?.shown
        let position = rows.map { window.position(in: $0, after: sent?.sent, isSameView: isSameView) }
        return audience(for: view, at: position)
    }

    /// The audience of a window that moves, for those who are sent the rows that there are now.
    private func audience(for view: View, at position: Window.Position?) -> Audience {
        let known = movingAudiences[view, default: []].first { $0.shown.position == position && !$0.hasUnseenMoves }
        if let known { return known }
        let audience = makeAudience(for: view, at: position)
        movingAudiences[view, default: []].append(audience)
        return audience
    }

    /// The audience of a subscriber who was told that it has all rows that there are now.
    func audience(insteadOf old: Audience) -> Audience {
        old.hasUnseenMoves ? audience(for: old.view, at: old.shown.position) : old
    }

    /// The audience of a subscriber to whom nothing is sent, since its window shows what it was sent. The next position of the
    /// window depends on the rows that there were then.
    func audience(for view: View, still sent: DeliveredState) -> Audience {
        let selection = selection(for: view, besides: nil, for: nil)
        selection?.users += 1
        let audience = Audience(number: newNumber(), of: self, through: view, selection, still: sent)
        if let selection { selection.audiences.add(audience) } else { wholeAudiences.add(audience) }
        movingAudiences[view, default: []].append(audience)
        return audience
    }

    /// The audience of a subscriber that comes back, and the rows that it has.
    ///
    /// - Parameters:
    ///   - sent: the rows that it was sent, and the state of the list that they are of.
    ///   - isSameView: whether these were sent for the same view.
    func audience(for view: View, after sent: (state: ListState, rows: ShownRows), isSameView: Bool)
        -> (Audience, RenderedView)
    {
        // Rows of another view, and of a window that moves, are not those that the audience had at that revision.
        let isOwn = isSameView && view.window?.isMoving != true
        let shown = RenderedView(
            RenderedView.ID(audience: isOwn ? 0 : newNumber(), revision: sent.state.revision), sent.rows)
        let audience = audience(for: view, after: shown, isSameView: isSameView)
        let isShown = sent.state === audience.state && sent.rows.extent == audience.shown.extent
        if isSameView, isShown { return (audience, audience.shown) }
        return (audience, isOwn ? audience.shown(at: sent.state, sent.rows) : shown)
    }

    /// A number that no audience has.
    private func newNumber() -> Int {
        audiencesMade += 1
        return audiencesMade
    }

    private func makeAudience(for view: View, at position: Window.Position? = nil) -> Audience {
        let selection = selection(for: view, besides: nil, for: nil)
        selection?.users += 1
        let audience = Audience(number: newNumber(), of: self, through: view, selection, at: position)
        if let selection { selection.audiences.add(audience) } else { wholeAudiences.add(audience) }
        return audience
    }

    /// Lets go of an audience that nobody is in any more, with the lines that it keeps.
    func leave(_ audience: Audience) {
        guard audience.members.isEmpty else { return }
        audiencesWithLines.remove(audience)
        if audiences[audience.view] === audience {
            audiences[audience.view] = nil
        } else {
            guard let index = movingAudiences[audience.view]?.firstIndex(where: { $0 === audience }) else { return }
            movingAudiences[audience.view]?.remove(at: index)
            if movingAudiences[audience.view]?.isEmpty == true { movingAudiences[audience.view] = nil }
        }
        if let selection = audience.selection {
            selection.audiences.remove(audience)
            selections?.release(selection)
        } else {
            wholeAudiences.remove(audience)
        }
    }

    /// Begins to find what a view shows, O(n log n) unless another view has found it already, for somebody who is about
    /// to follow the list through it. What is found is not older than the state that the list has now.
    ///
    /// - Parameters:
    ///   - neighbour: who has a view that may differ in its expansion alone, or in a `search` that says less of the same.
    ///   - past: another state, of which the rows are to be found as well, and the view that shows them.
    ///   - quota: the account for the memory of its rows.
    func preparation(
        for view: View, besides neighbour: Audience? = nil, of past: (state: ListState, view: View)? = nil,
        for quota: UserQuota? = nil
    ) -> ViewPreparation {
        update()
        let selection = selection(for: view, besides: neighbour?.selection, for: quota)
        selection?.users += 1
        let preparation = ViewPreparation(self, selection, of: past)
        preparations[ObjectIdentifier(preparation)] = preparation
        selections?.move()
        preparation.check()
        return preparation
    }

    func leave(_ preparation: ViewPreparation, _ selection: LiveSelection?) {
        guard preparations.removeValue(forKey: ObjectIdentifier(preparation)) != nil else { return }
        if let selection { selections?.release(selection) }
    }

    // MARK: Selections

    /// What is found of the selection of a view.
    func stages(of view: View) -> (state: ListState, [LiveSelection.Stage])? {
        guard let selection = selections?[view], let state = selection.state, let stages = selection.stages
        else { return nil }
        return (state, stages)
    }

    private func selection(
        for view: View, besides neighbour: LiveSelection?, for quota: UserQuota?
    ) -> LiveSelection? {
        if view.matching == nil, view.expansion == .all { return nil }
        let selections = selections ?? LiveSelections(of: self)
        self.selections = selections
        return selections.selection(for: view, besides: neighbour, for: quota)
    }
}
