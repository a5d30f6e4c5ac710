import Diffable
import DiffableJSON
import DiffableStore

/// The selections of one list, of which a change meets only those that it concerns.
///
/// Most changes are of items that most views have nothing to do with. So a selection that is up to date, and of which it
/// can be told what concerns it, rests: it shows the list's current state without being brought there. `CriterionIndex`
/// says which of those that rest a change may concern; these are woken, follow the change as all do that do not rest, and
/// go to rest again. What a change means for a selection that rests is nothing: no item came, went, moved or became
/// different that it shows or would show.
final class LiveSelections {
    private unowned let list: FollowedList
    private var known: [LiveSelection.Key: LiveSelection] = [:]
    /// Those that do not rest.
    private var awake = UnorderedGroup(\LiveSelection.position)
    /// Those that can rest, by number; those that are made from others rest with these.
    private(set) var numbered: [Int: LiveSelection] = [:]
    let index = CriterionIndex()
    private(set) var orders = KeptOrders()
    private var numbersGiven = 0
    /// What is left of this turn's work.
    private var workLeft: Int
    /// How many selections of each user have moved in this turn, if there are many.
    private var moves: [Int: Int] = [:]
    /// The first selection to look at, so that each has its turn.
    private var first = 0
    /// Whether some selections do not move in this turn, because their users have used up their part of it.
    private(set) var isWorkLeft = false

    /// How many selections of a user move in a turn.
    private static let movesMax = 128

    init(of list: FollowedList) {
        self.list = list
        workLeft = list.background.turn.workMax
    }

    func beginTurn() {
        workLeft = list.background.turn.workMax
        isWorkLeft = false
        if !moves.isEmpty { moves.removeAll(keepingCapacity: true) }
    }

    // MARK: Which there are

    subscript(view: View) -> LiveSelection? { known[LiveSelection.Key(view)] }

    /// - Parameter neighbour: what was shown so far by whoever asks, which may be near what is shown next.
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

    /// Brings all that do not rest as far as they come in this turn; what they are made from comes first.
    ///
    /// - Parameter step: what led the list to its state, and from where.
    /// - Returns: Those that have moved.
    @discardableResult
    func move(by step: (from: ListState, Transition)? = nil) -> [LiveSelection] {
        if awake.isEmpty { return [] }
        var moved: [LiveSelection] = []
        for isFirst in [true, false] {
            let group = awake
            for number in 0..<group.count {
                let selection = group[(first + number) % group.count]
                guard (selection.source == nil) == isFirst, mayMove(selection),
                    selection.catchUp(by: step, workLeft: &workLeft)
                else { continue }
                show(selection)
                moved.append(selection)
            }
        }
        if isWorkLeft { first += Self.movesMax }
        letRest()
        return moved
    }

    /// Whether there is time left for a user's selection in this turn. A client that follows a list through thousands of views
    /// gets their changes late, and does not delay the list's other clients.
    private func mayMove(_ selection: LiveSelection) -> Bool {
        guard awake.count > Self.movesMax, let user = selection.user.id, selection.isBehind else { return true }
        let count = moves[user, default: 0]
        if count == Self.movesMax {
            isWorkLeft = true
            return false
        }
        moves[user] = count + 1
        return true
    }

    /// Moves more of the selections that are not up to date.
    func moveMore() {
        for moved in move() { moved.audiences.forEach { $0.wake() } }
    }

    /// The background has brought a selection on.
    func publish(_ selection: LiveSelection) {
        show(selection)
        // Also when they are shown nothing new: replies wait until that is known.
        selection.audiences.forEach { $0.wake() }
        moveAndServe()
    }

    private func moveAndServe() {
        moveMore()
        list.scheduleServing()
    }

    private func show(_ selection: LiveSelection) {
        guard let (from, step) = selection.lastTransition, let state = selection.state else { return }
        selection.audiences.forEach { $0.follow(step, from: from, to: state) }
    }

    // MARK: Orders

    /// The items by their values at a path, if that is worth the while; what is awaited is told by `move`.
    func order(at path: ComparedPath, for goal: ListState) -> KeptOrders.Answer {
        // The list stays until the order is there.
        orders.order(at: path, for: goal, list.background) { [self, list = list] in
            awake.forEach { $0.endAwaiting() }
            withExtendedLifetime(list) { moveAndServe() }
        }
    }

    // MARK: Resting

    private func letRest() {
        if numbered.isEmpty { return }
        for isFirst in [true, false] {
            for position in (0..<awake.count).reversed() {
                let selection = awake[position]
                guard (selection.source == nil) == isFirst, selection.mayRest else { continue }
                selection.rest()
                awake.remove(selection)
            }
        }
    }

    /// Wakes those that rest and that a change of the list may concern. They rest at the state that it comes from.
    func wake(by step: Transition, from old: ListState, to new: ListState) {
        if numbered.isEmpty { return }
        orders.note(step, to: new, list.background)
        // Who is to start anew is told so, whether or not that changes anything.
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
        if selection.isResting { wakeResting(selection) }
        selection.dependents.forEach { if $0.isResting { wakeResting($0) } }
    }

    private func wakeResting(_ selection: LiveSelection) {
        selection.wake()
        awake.add(selection)
    }

    /// Nil for all, and where it takes long to tell.
    private func numbers(
        concernedBy operations: [ListOperation], from old: Snapshot, to new: Snapshot
    ) -> Set<Int>? {
        var numbers: Set<Int> = []
        var parents: [ItemID] = []
        let workMax = list.background.turn.workMax
        let isKnown = operations.forEachItemTouched(
            from: old, to: new, max: workMax / index.workOfLook, { index.collect(matching: $0, into: &numbers) },
            parent: { parents.append($0) })
        guard isKnown, parents.count * numbered.count <= 8 * workMax else { return nil }
        if parents.isEmpty { return numbers }
        // They may be shown for what is under them.
        for (number, selection) in numbered where selection.isResting && !numbers.contains(number) {
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
