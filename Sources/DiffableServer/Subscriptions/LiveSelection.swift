import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

/// The rows that a selection shows of a list, kept up to date for all views that share it.
///
/// Matching items are one selection, made from the list. Those of them that are not collapsed are another selection,
/// made from the first one. So views that differ in their expansion share the matching items, and views that differ in
/// their window share both.
///
/// Short work is done at once. Longer work is done in the background, on immutable values, while the list changes.
/// Until it is done, the selection shows its old rows; then it follows the changes made since.
final class LiveSelection {
    let key: Key
    /// The selection that it selects from; nil: the list itself.
    let source: LiveSelection?
    /// The condition for showing an item by itself, if the selection consists of it alone: then it can rest.
    let criterion: Criterion?
    /// The spans of values at a path that the items shown by themselves have, if the criterion implies such spans.
    private let spans: (path: ComparedPath, spans: [KeySpan])?
    private let selection: Selection
    /// The list, whose audiences hold this selection.
    private unowned let list: FollowedList
    /// The account for its memory: at first, of the first user with such a view.
    private var quota: UserQuota?
    /// The bytes that it has counted in `quota`.
    private var lengthCounted = 0
    /// Whether it was given up because its user has no memory left.
    private(set) var isRefused = false
    /// The user of the first client with this view. Its work in the background belongs to this user.
    let user: UserShare
    /// The rows; nil until they are computed.
    private(set) var shown: Snapshot?
    /// The state and the input that the rows were made from; nil until they are computed, and while it rests.
    private var origin: (state: ListState, input: Snapshot)?
    /// Whether it counts as showing the list's current state, because no change since concerns it (`LiveSelections`).
    private(set) var isSuspended = false
    /// The step that led to the current rows.
    private(set) var lastTransition: (from: ListState, Transition)?
    /// Whether the background computes its next rows.
    private var isBusy = false
    /// Whether the order of items that it begins with is still being made. Looking again before would be useless.
    private var isAwaiting = false
    /// A similar selection to begin from.
    private var neighbour: LiveSelection?
    /// The audiences that show it as it is, or a window over it.
    var audiences = UnorderedBag(\Audience.position)
    /// The selections that are made from it.
    var dependents = UnorderedBag(\LiveSelection.positionAmongDependents)
    /// The number of audiences, selections and preparations that use it.
    var users = 0
    /// Its number among selections that can rest; nil if it cannot.
    var number: Int?
    /// Whether it waits for a later tick in `LiveSelections`.
    var isWaiting = false
    /// Its index among the selections that `LiveSelections` looks at.
    var position: Int?
    /// Its index among the selections that are made from its source.
    var positionAmongDependents: Int?

    /// The identity of a selection within its list.
    struct Key: Hashable {
        var matchingText: [UInt8]
        var expansion: Selection.Expansion
        /// Whether items with left-out children are marked.
        var marksFolded = false
    }

    /// Rows together with their selection and input, as values that any thread can use.
    struct Stage: Sendable {
        let selection: Selection
        let input: Snapshot
        let snapshot: Snapshot

        /// Returns the rows for another input, at the cost of its differences.
        func shown(of other: Snapshot) -> Snapshot { selection.follow(snapshot, from: input, to: other, by: nil) }
    }

    init(
        _ key: Key, _ selection: Selection, _ criterion: Criterion?, in list: FollowedList, of source: LiveSelection?,
        besides neighbour: LiveSelection?, for quota: UserQuota?
    ) {
        self.quota = quota
        self.key = key
        self.source = source
        self.selection = selection
        self.criterion = criterion
        self.list = list
        user = list.background.served.current
        spans = criterion?.spans
        let isAlike =
            neighbour?.key.matchingText == key.matchingText && neighbour?.key.expansion != .all
            && neighbour?.key.marksFolded == key.marksFolded
        // A neighbour that shows more of the list itself was chosen for that.
        self.neighbour = isAlike || source == nil && key.expansion == .all ? neighbour : nil
    }

    /// The list's state that it shows.
    var state: ListState? { isSuspended ? list.shownState : origin?.state }

    private var stage: Stage? {
        guard let shown, let input = isSuspended ? inputNow : origin?.input else { return nil }
        return Stage(selection: selection, input: input, snapshot: shown)
    }

    private var inputNow: Snapshot? {
        guard let source else { return list.shownState.snapshot }
        return source.shown
    }

    /// The stages from the list to its rows; nil until they are computed.
    var stages: [Stage]? {
        guard let stage else { return nil }
        guard let source else { return [stage] }
        return source.stages.map { $0 + [stage] }
    }

    // MARK: Resting

    /// Whether it is up to date, and its criterion, or its source's, says which changes concern it.
    var maySuspend: Bool {
        guard !isBusy, shown != nil, state === list.shownState else { return false }
        return source.map(\.isSuspended) ?? (number != nil)
    }

    func suspend() {
        isSuspended = true
        // Does not keep an old state of the list.
        origin = nil
        lastTransition = nil
    }

    /// Wakes it before the list, or its source, changes.
    func wake() {
        origin = inputNow.map { (list.shownState, $0) }
        isSuspended = false
    }

    // MARK: Moving

    /// Whether it may have to move.
    var isBehind: Bool { !isBusy && !isAwaiting && (source == nil ? list.state : source?.state) !== state }

    /// Ends the wait for an order, because the order is made or has to be requested again.
    func endAwaiting() { isAwaiting = false }

    /// Follows its source, at once or in the background. Returns true if it has moved.
    ///
    /// - Parameters:
    ///   - step: the step that led the list to its state, and the state before it.
    ///   - workLeft: the amount of work that may be done at once.
    func catchUp(by step: (from: ListState, Transition)?, workLeft: inout Int) -> Bool {
        if isBusy || isAwaiting { return false }
        var (goal, input, step) = (list.state, list.state.snapshot, step)
        if let source {
            guard let shown = source.shown, let state = source.state else { return false }
            (goal, input, step) = (state, shown, source.lastTransition)
        }
        if goal === state { return false }
        guard let stage, let state else { return begin(goal, input, &workLeft) }
        let next = step?.from === state ? step?.1 : nil
        return follow(next ?? Transition(from: stage.input, to: input), to: goal, from: stage, &workLeft)
    }

    private func begin(_ goal: ListState, _ input: Snapshot, _ workLeft: inout Int) -> Bool {
        let start = neighbour.flatMap { $0.users > 0 && $0.state === goal ? $0.stage : nil }
        neighbour = nil
        if let start { return begin(goal, input, besides: start, &workLeft) }
        let work = selection.estimatedWork(of: input, max: workLeft)
        if work == nil, let spans {
            switch list.selections?.valueIndex(at: spans.path, for: goal) {
            case .known(let order, let state)?: return begin(state, order, spans.spans, &workLeft)
            case .awaited?:
                isAwaiting = true
                return false
            case .isNotWorthIt?, nil: break
            }
        }
        return begin(goal, input, work, input.numberOfItems, &workLeft) { [selection] in selection.evaluate(input) }
    }

    /// Begins from a selection with another expansion, or from one that shows more.
    private func begin(_ goal: ListState, _ input: Snapshot, besides start: Stage, _ workLeft: inout Int) -> Bool {
        let shown = start.snapshot
        if selection.expansion == .all {
            let work = selection.estimatedWork(of: shown, max: workLeft)
            return begin(goal, input, work, shown.numberOfItems, &workLeft) { [selection] in
                selection.evaluate(input, among: shown)
            }
        }
        let expansion = start.selection.expansion
        let work = selection.estimatedWork(of: input, from: expansion, max: workLeft)
        return begin(goal, input, work, input.numberOfItems, &workLeft) { [selection] in
            selection.advance(shown, of: input, from: expansion)
        }
    }

    /// Begins from an order of the items, which may belong to a slightly older state of the list, and follows from
    /// there.
    private func begin(_ start: ListState, _ order: ValueIndex, _ spans: [KeySpan], _ workLeft: inout Int) -> Bool {
        let work = selection.estimatedWork(of: order, in: spans)
        let isFound = begin(start, order.list, work > workLeft ? nil : work, work, &workLeft) { [selection] in
            selection.evaluate(order, in: spans)
        }
        if isFound { _ = catchUp(by: nil, workLeft: &workLeft) }
        return isFound
    }

    /// - Parameters:
    ///   - work: the amount of work; nil if it is not to be done at once.
    ///   - size: the amount of work in the background, in items.
    private func begin(
        _ goal: ListState, _ input: Snapshot, _ work: Int?, _ size: Int, _ workLeft: inout Int,
        _ shown: @escaping @Sendable () -> Snapshot
    ) -> Bool {
        let find: @Sendable () -> Stage = { [selection] in
            Stage(selection: selection, input: input, snapshot: shown())
        }
        if let work {
            workLeft -= work
            setRows(to: goal, find(), by: nil)
            return true
        }
        computeInBackground(size: size, find) { [self] in setRows(to: goal, $0, by: nil) }
        return false
    }

    private func follow(
        _ step: Transition, to goal: ListState, from stage: Stage, _ workLeft: inout Int
    ) -> Bool {
        let operations = step.operationsAtOnce(in: list.background.turn)
        if let operations,
            let work = selection.estimatedWork(of: operations, from: stage.input, to: step.new, max: workLeft)
        {
            workLeft -= work
            let snapshot = selection.advance(stage.snapshot, from: stage.input, to: step.new, by: operations)
            setRows(
                to: goal, Stage(selection: selection, input: step.new, snapshot: snapshot),
                by: Transition(from: stage.snapshot, to: snapshot))
            return true
        }
        let find: @Sendable () -> (Stage, [ListOperation]) = { [selection, new = step.new] in
            let snapshot = selection.follow(stage.snapshot, from: stage.input, to: new, by: operations)
            let next = Stage(selection: selection, input: new, snapshot: snapshot)
            return (next, snapshot.difference(from: stage.snapshot))
        }
        computeInBackground(size: step.new.numberOfItems, find) { [self] stage, operations in
            setRows(to: goal, stage, by: Transition(to: stage.snapshot, by: operations))
        }
        return false
    }

    private func computeInBackground<Value: Sendable>(
        size: Int, _ find: @escaping @Sendable () -> Value, use: @escaping (Value) -> Void
    ) {
        isBusy = true
        // Keeps the list alive during the work, and with it the audiences that show the result.
        list.background.compute(for: user, size: size, while: { [self] in mayBegin() }, find) {
            [self, list = list] value in
            isBusy = false
            if users == 0 { return }
            if let shown { list.background.free(shown) }
            use(value)
            list.publish(self)
        }
    }

    private func setRows(to goal: ListState, _ next: Stage, by step: Transition?) {
        lastTransition = if let step, let state { (state, step) } else { nil }
        origin = (goal, next.input)
        shown = next.snapshot
        isRefused = false
        count(next.snapshot.numberOfItems * ViewPreparation.lengthOfRow)
    }

    // MARK: Memory

    /// Whether the background may find its rows now. If its user has no memory left, it is given up.
    private func mayBegin() -> Bool {
        if users == 0 { return false }
        guard shown == nil, let quota, quota.roomForRegistrations < 0 else { return true }
        isBusy = false
        isRefused = true
        list.scheduleServing()
        return false
    }

    private func count(_ length: Int) {
        guard let quota, length != lengthCounted else { return }
        quota.register(length - lengthCounted)
        let isLonger = length > lengthCounted
        lengthCounted = length
        if isLonger, quota.roomForRegistrations < 0 { quota.endIfOverLimit(self) }
    }

    /// Stops counting its rows, because it has no users.
    func endCounting() { count(0) }

    /// The subscriptions that depend on it.
    private var subscriptions: [Subscription] {
        var found: [Subscription] = []
        audiences.forEach { audience in audience.members.forEach { found.append($0) } }
        dependents.forEach { found += $0.subscriptions }
        return found
    }

    /// Ends the subscriptions of a user who takes too much memory. If other users have the same view, it counts for one
    /// of them from now on. Otherwise it still counts until it is released, so that a client that is about to have the
    /// view is refused.
    func end(for user: UserQuota, because error: (ListName) -> WireError) {
        var isShared = false
        var heir: UserQuota?
        for subscription in subscriptions {
            if subscription.connection.quota === user {
                subscription.revoke(because: error(subscription.list))
            } else {
                isShared = true
                heir = heir ?? subscription.connection.quotaOfRows
            }
        }
        guard isShared, quota === user else { return }
        let length = lengthCounted
        count(0)
        quota = heir
        count(length)
    }
}
