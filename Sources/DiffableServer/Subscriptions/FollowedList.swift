import Diffable
import DiffableJSON
import DiffableStore

/// One incarnation of a list with followers, and one audience for each view of it.
///
/// The effect of a change is computed once for all views: the list's diff once, matching items once for each criterion,
/// collapsed items once for each expansion. Short work is done for all views together, at the end of a tick or when the
/// result is needed before. Longer work is done in the background. Each audience shows one state of the list, the
/// newest or a slightly older one.
///
/// A change costs time only for the views that it concerns: views without visible changes are not visited
/// (`LiveSelections`).
final class FollowedList {
    /// The committed state.
    private(set) var state: ListState
    private(set) var isDeleted = false
    /// Whether it was deleted, and another incarnation exists.
    private(set) var isReplaced = false
    /// The state shown by audiences that need no selection.
    private(set) var shownState: ListState
    let background: Background
    /// The pages of all updates that do not fit one page.
    let pages: UpdatePages
    let laggingWindows: LaggingWindows
    private let becomeDue: (FollowedList) -> Void
    /// The audiences that a new subscriber with an equal view joins.
    private var audiences: [View: Audience] = [:]
    /// The audiences whose windows have their own positions, although their views are equal.
    private var movingAudiences: [View: [Audience]] = [:]
    /// The audiences that show the list itself, or a window over it.
    private var wholeAudiences = UnorderedBag(\Audience.position)
    /// The audiences that show something that they have not served yet.
    private var dueAudiences: [Audience] = []
    /// The audiences that keep lines. All lines are dropped at the next change, even if an audience does not show it.
    private(set) var audiencesWithLines = UnorderedBag(\Audience.positionAmongLines)
    /// Nil until a view needs a selection.
    private(set) var selections: LiveSelections?
    private var preparations: [ObjectIdentifier: ViewPreparation] = [:]
    private var audiencesMade = 0
    /// Whether it is to be served at the end of this tick.
    private var isDue = false
    /// Whether some views are brought up to date only after the next poll of the sockets.
    private var isPostponed = false
    private var isResumed = false
    /// Called when work is postponed. Call `resume` after the next poll of the sockets.
    var onWorkLeft: () -> Void = {}
    /// Called when a subscriber does not get a change at once.
    var onLag: () -> Void = {}
    /// The transaction that led to the current revision, if it was a single one.
    private var lastTransaction: (from: Int, Commit.Transaction)?

    /// - Parameter becomeDue: called to have the list served at the end of the tick.
    init(
        _ state: ListState, _ background: Background, _ pages: UpdatePages = UpdatePages(),
        _ laggingWindows: LaggingWindows = LaggingWindows(), becomeDue: @escaping (FollowedList) -> Void
    ) {
        self.state = state
        self.shownState = state
        self.background = background
        self.pages = pages
        self.laggingWindows = laggingWindows
        self.becomeDue = becomeDue
    }

    /// Whether it has no followers, and no client is about to follow it.
    var isEmpty: Bool { audiences.isEmpty && movingAudiences.isEmpty && preparations.isEmpty }

    /// The subscriptions of all its views.
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

    // MARK: Serving

    /// Takes over a commit, and schedules serving at the end of the tick.
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

    /// Brings all audiences to the current state.
    func serve() {
        isDue = false
        selections?.beginTurn()
        update()
        if isResumed {
            isResumed = false
            selections?.catchUpWaiting()
        }
        if isDeleted { forEachAudience { $0.serve() } }
        for audience in takeDueAudiences() { audience.serve() }
        for preparation in preparations.values { preparation.check() }
        if selections?.isWorkLeft == true, !isPostponed {
            isPostponed = true
            onWorkLeft()
        }
    }

    /// Continues postponed work, after the sockets have been polled.
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

    /// Notes an audience that shows something new, to serve it at the end of the tick.
    func noteShown(by audience: Audience) { dueAudiences.append(audience) }

    /// Notes an audience that keeps lines with the current revision.
    func noteLines(of audience: Audience) { audiencesWithLines.add(audience) }

    private func dropLines() {
        audiencesWithLines.forEach { $0.dropLines() }
        audiencesWithLines.removeAll()
    }

    /// Brings every audience to the committed state, unless that takes long.
    func update() {
        guard shownState !== state else { return }
        let old = shownState
        let isOneTransaction = lastTransaction?.from == old.revision
        let step = Transition(
            from: old.snapshot, to: state.snapshot, by: isOneTransaction ? lastTransaction?.1 : nil)
        selections?.wake(by: step, from: old, to: state)
        shownState = state
        dropLines()
        // Subscribers that keep up release the old state in this tick.
        if old.snapshot.numberOfItems > background.turn.itemsFreedMax,
            step.operationsAtOnce(in: background.turn)?.isLong(in: background.turn) != false
        {
            background.free(old.snapshot)
        }
        wholeAudiences.forEach { $0.follow(step, from: old, to: state) }
        selections?.catchUp(by: (old, step))
    }

    /// Shows a selection that the background has brought up to date.
    func publish(_ selection: LiveSelection) { selections?.publish(selection) }

    // MARK: Audiences

    /// Returns the audience of a view, which is prepared.
    ///
    /// - Parameters:
    ///   - sent: the rows that a subscriber has; nil for a new one.
    ///   - isSameView: whether these were sent for the same view.
    func audience(for view: View, after sent: RenderedView? = nil, isSameView: Bool = true) -> Audience {
        update()
        guard let window = view.window, window.isMoving else {
            if let audience = audiences[view] {
                // A client may know the current revision, and gets none before it.
                audience.catchUp()
                return audience
            }
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

    /// Returns the audience of a moving window for subscribers that are sent the current rows.
    private func audience(for view: View, at position: Window.Position?) -> Audience {
        let known = movingAudiences[view, default: []].first {
            $0.shown.position == position && !$0.hasUnseenMoves && !$0.isLagging
        }
        if let known { return known }
        let audience = makeAudience(for: view, at: position)
        movingAudiences[view, default: []].append(audience)
        return audience
    }

    /// Returns the audience of a subscriber that was notified that it has all current rows.
    func audience(insteadOf old: Audience) -> Audience {
        old.hasUnseenMoves ? audience(for: old.view, at: old.shown.position) : old
    }

    /// Returns the audience of a subscriber that is sent nothing, because its window shows the rows that it was sent.
    /// The next position of the window depends on the rows at that time.
    func audience(for view: View, still sent: DeliveredState) -> Audience {
        let selection = selection(for: view, besides: nil, for: nil)
        selection?.users += 1
        let audience = Audience(number: newNumber(), of: self, through: view, selection, still: sent)
        if let selection { selection.audiences.add(audience) } else { wholeAudiences.add(audience) }
        movingAudiences[view, default: []].append(audience)
        return audience
    }

    /// Returns the audience of a subscriber that resumes, and the rows that it has.
    ///
    /// - Parameters:
    ///   - sent: the rows that it was sent, and the state of the list that they belong to.
    ///   - isSameView: whether these were sent for the same view.
    func audience(for view: View, after sent: (state: ListState, rows: ShownRows), isSameView: Bool)
        -> (Audience, RenderedView)
    {
        // Rows of another view, or of a moving window, are not the rows that the audience showed at that revision.
        let isOwn = isSameView && view.window?.isMoving != true
        let shown = RenderedView(
            RenderedView.ID(audience: isOwn ? 0 : newNumber(), revision: sent.state.revision), sent.rows)
        let audience = audience(for: view, after: shown, isSameView: isSameView)
        let isShown = sent.state === audience.state && sent.rows.extent == audience.shown.extent
        if isSameView, isShown { return (audience, audience.shown) }
        return (audience, isOwn ? audience.shown(at: sent.state, sent.rows) : shown)
    }

    /// Returns a number that no audience has used.
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

    /// Removes an audience without members, with the lines that it keeps.
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

    /// Begins to compute the rows of a view for a client that is about to follow the list through it: O(n log n),
    /// unless another view has computed them already. The rows are not older than the list's current state.
    ///
    /// - Parameters:
    ///   - neighbour: an audience whose view may differ only in its expansion, or in a wider `search`.
    ///   - past: another state whose rows are to be computed as well, and the view that shows them.
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
        selections?.catchUp()
        if selections?.isWorkLeft == true { scheduleServing() }
        preparation.check()
        return preparation
    }

    func leave(_ preparation: ViewPreparation, _ selection: LiveSelection?) {
        guard preparations.removeValue(forKey: ObjectIdentifier(preparation)) != nil else { return }
        if let selection { selections?.release(selection) }
    }

    // MARK: Selections

    /// Returns the computed stages of a view's selection.
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
