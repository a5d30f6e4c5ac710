import Diffable
import DiffableJSON
import DiffableStore

/// The selections of one list, organised so that a change visits only the selections that it concerns.
///
/// Most changes are of items that most views do not show. So a selection rests while it is up to date and its criterion
/// says which changes concern it: it counts as showing the list's current state, and is not updated. `CriterionIndex`
/// returns the resting selections that a change may concern. These are woken, follow the change like all selections
/// that do not rest, and rest again. If one user has many of them, most wait for later ticks, in their order. A change
/// has no effect on the selections that keep resting: among the items that they show or would show, none is inserted,
/// deleted, moved or changed.
final class LiveSelections {
    private unowned let list: FollowedList
    private var known: [LiveSelection.Key: LiveSelection] = [:]
    /// The selections that `catchUp` looks at. The others rest, wait for a later tick, or are made from such selections.
    private var awake = UnorderedBag(\LiveSelection.position)
    /// The selections that wait for a later tick, because their users have used up their share of this one.
    private var waiting = UserQueues<LiveSelection>()
    /// The selections that can rest, by number. Selections that are made from another one rest with it.
    private(set) var numbered: [Int: LiveSelection] = [:]
    let index = CriterionIndex()
    private(set) var orders = ValueIndexCache()
    private var numbersGiven = 0
    /// Work left for this tick.
    private var workLeft: Int
    /// Selections of each user that have moved in this tick, if there are many.
    private var moves: [Int?: Int] = [:]
    /// Whether some selections wait for a later tick.
    var isWorkLeft: Bool { !waiting.isEmpty }

    /// Selections of one user that move in a tick at most.
    private static let movesMax = 128

    init(of list: FollowedList) {
        self.list = list
        workLeft = list.background.turn.workMax
    }

    func beginTurn() {
        workLeft = list.background.turn.workMax
        if !moves.isEmpty { moves.removeAll(keepingCapacity: true) }
    }

    // MARK: Which there are

    subscript(view: View) -> LiveSelection? { known[LiveSelection.Key(view)] }

    /// - Parameter neighbour: the selection that the caller has shown so far, whose rows may be similar to the new
    ///   ones.
    func selection(for view: View, besides neighbour: LiveSelection?, for quota: UserQuota?) -> LiveSelection? {
        var source: LiveSelection?
        if let matching = view.matching {
            let key = LiveSelection.Key(matchingText: view.matchingText, expansion: .all)
            let wider = neighbour.map { $0.source ?? $0 }
            let isNarrower = wider.map { view.isNarrower(than: $0.key.matchingText, $0.criterion) } ?? false
            source = selection(key, matching, view.criterion, of: nil, besides: isNarrower ? wider : nil, for: quota)
        }
        if view.expansion == .all { return source }
        return selection(
            LiveSelection.Key(view), view.folding, of: source, besides: neighbour, for: quota)
    }

    private func selection(
        _ key: LiveSelection.Key, _ selection: Selection, _ criterion: Criterion? = nil, of source: LiveSelection?,
        besides neighbour: LiveSelection? = nil, for quota: UserQuota?
    ) -> LiveSelection {
        if let known = known[key] { return known }
        source?.users += 1
        let made = LiveSelection(key, selection, criterion, in: list, of: source, besides: neighbour, for: quota)
        known[key] = made
        awake.add(made)
        source?.dependents.add(made)
        if let criterion {
            numbersGiven += 1
            made.number = numbersGiven
            numbered[numbersGiven] = made
            index.insert(numbersGiven, criterion)
        }
        return made
    }

    func release(_ selection: LiveSelection) {
        selection.users -= 1
        guard selection.users == 0 else { return }
        selection.endCounting()
        known[selection.key] = nil
        awake.remove(selection)
        if let number = selection.number, let criterion = selection.criterion {
            numbered[number] = nil
            index.remove(number, criterion)
            for path in criterion.comparedPaths where index.numberOfSpans(at: path) < 2 {
                orders.forget(path, list.background)
            }
        }
        if let shown = selection.shown { list.background.free(shown) }
        guard let source = selection.source else { return }
        source.dependents.remove(selection)
        release(source)
    }

    // MARK: Moving

    /// Brings the selections that do not rest up to date, as far as this tick has room. Sources move before the
    /// selections that are made from them.
    ///
    /// - Parameter step: the step that led the list to its state, and the state before it.
    /// - Returns: The selections that have moved.
    @discardableResult
    func catchUp(by step: (from: ListState, Transition)? = nil) -> [LiveSelection] {
        if awake.isEmpty { return [] }
        var moved: [LiveSelection] = []
        for isFirst in [true, false] {
            let group = awake
            for number in 0..<group.count where (group[number].source == nil) == isFirst {
                let selection = group[number]
                if mayCatchUp(selection) { catchUp(selection, by: step, &moved) } else { postpone(selection) }
            }
        }
        suspendIdle()
        return moved
    }

    private func catchUp(
        _ selection: LiveSelection, by step: (from: ListState, Transition)?, _ moved: inout [LiveSelection]
    ) {
        guard selection.catchUp(by: step, workLeft: &workLeft) else { return }
        notifyDependents(of: selection)
        moved.append(selection)
    }

    /// Whether there is time left for a user's selection in this tick. A client that follows a list through thousands
    /// of views gets their changes late, and does not delay the list's other clients.
    private func mayCatchUp(_ selection: LiveSelection) -> Bool {
        guard awake.count > Self.movesMax || isWorkLeft, selection.user.id != nil, selection.isBehind else {
            return true
        }
        return !waiting.hasElements(of: selection.user.id) && takeCatchUp(of: selection.user.id)
    }

    private func takeCatchUp(of user: Int?) -> Bool {
        let count = moves[user, default: 0]
        if count == Self.movesMax { return false }
        moves[user] = count + 1
        return true
    }

    private func postpone(_ selection: LiveSelection) {
        awake.remove(selection)
        selection.isWaiting = true
        waiting.append(selection, of: selection.user.id)
    }

    /// Brings more of the outdated selections up to date. The selections that have waited longest come first.
    func catchUpWaiting() {
        var moved: [LiveSelection] = []
        for _ in 0..<waiting.numberOfUsers {
            guard let user = waiting.beginTurn() else { break }
            while waiting.hasElements(of: user), takeCatchUp(of: user), let selection = waiting.next(of: user) {
                selection.isWaiting = false
                if selection.users == 0 { continue }
                awake.add(selection)
                catchUp(selection, by: nil, &moved)
            }
            waiting.endTurn(of: user)
        }
        for moved in moved + catchUp() { moved.audiences.forEach { $0.wake() } }
    }

    /// Shows a selection that the background has brought up to date.
    func publish(_ selection: LiveSelection) {
        notifyDependents(of: selection)
        // Even if the rows have not changed, because replies wait until that is known.
        selection.audiences.forEach { $0.wake() }
        catchUpWaitingAndServe()
    }

    private func catchUpWaitingAndServe() {
        catchUpWaiting()
        list.scheduleServing()
    }

    private func notifyDependents(of selection: LiveSelection) {
        selection.dependents.forEach { if !$0.isSuspended, !$0.isWaiting { awake.add($0) } }
        guard let (from, step) = selection.lastTransition, let state = selection.state else { return }
        selection.audiences.forEach { $0.follow(step, from: from, to: state) }
    }

    // MARK: Orders

    /// Returns the items ordered by their values at a path, if an order is worthwhile. After an awaited order is made,
    /// `catchUpWaitingAndServe` continues with it.
    func valueIndex(at path: ComparedPath, for goal: ListState) -> ValueIndexCache.Answer {
        // Keeps the list alive until the order is made.
        orders.index(at: path, for: goal, list.background) { [self, list = list] in
            awake.forEach { $0.endAwaiting() }
            withExtendedLifetime(list) { catchUpWaitingAndServe() }
        }
    }

    // MARK: Resting

    private func suspendIdle() {
        if numbered.isEmpty { return }
        for isFirst in [true, false] {
            for position in (0..<awake.count).reversed() {
                let selection = awake[position]
                guard (selection.source == nil) == isFirst, selection.maySuspend else { continue }
                selection.suspend()
                awake.remove(selection)
            }
        }
    }

    /// Wakes the resting selections that a change of the list may concern. They are still at the state before the
    /// change.
    func wake(by step: Transition, from old: ListState, to new: ListState) {
        if numbered.isEmpty { return }
        orders.dropOutdated(after: step, to: new, list.background)
        // A reload always sends a reset, even if it changes nothing.
        guard new.lastReloadRevision <= old.revision,
            let operations = step.operationsAtOnce(in: list.background.turn),
            let numbers = numbers(concernedBy: operations, from: old.snapshot, to: new.snapshot)
        else {
            for selection in numbered.values { wake(selection) }
            return
        }
        for number in numbers {
            if let selection = numbered[number] { wake(selection) }
        }
    }

    private func wake(_ selection: LiveSelection) {
        guard selection.isSuspended else { return }
        // They move after it.
        selection.dependents.forEach { if $0.isSuspended { $0.wake() } }
        selection.wake()
        awake.add(selection)
    }

    /// Returns the numbers of the selections that operations may concern; nil for all of them, and if it takes long to
    /// compute.
    private func numbers(
        concernedBy operations: [ListOperation], from old: Snapshot, to new: Snapshot
    ) -> Set<Int>? {
        var numbers: Set<Int> = []
        var parents: [ItemID] = []
        let workMax = list.background.turn.workMax
        let isKnown = operations.forEachChangedItem(
            from: old, to: new, max: workMax / index.workOfLook, { index.collect(matching: $0, into: &numbers) },
            parent: { parents.append($0) })
        guard isKnown, parents.count * numbered.count <= 8 * workMax else { return nil }
        if parents.isEmpty { return numbers }
        // Parents may be shown only because their descendants match.
        for (number, selection) in numbered where selection.isSuspended && !numbers.contains(number) {
            if let shown = selection.shown, parents.contains(where: shown.contains) { numbers.insert(number) }
        }
        return numbers
    }
}

extension LiveSelection.Key {
    init(_ view: View) {
        self.init(matchingText: view.matchingText, expansion: view.expansion, marksFolded: view.marksFolded)
    }
}
