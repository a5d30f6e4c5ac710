import DequeModule
import Diffable

/// The earlier states of a list, as far back as they are kept.
///
/// Few are kept complete. The others are kept as the packed transactions that led to them (`HistoryRun`), and are rebuilt on
/// demand.
struct History: Sendable {
    /// Oldest first, without a gap. The last one leads to the current state.
    private var runs: Deque<HistoryRun> = []
    /// The newest states before the current one, complete, for clients that reconnect soon. Oldest first, without a gap.
    private var recent: Deque<RecentState> = []
    /// Rebuilt states, as a cache.
    private var remade: [ListState] = []
    /// Revisions whose states could not be rebuilt.
    private var lost: Set<Int> = []
    /// The cost of all transactions, in bytes (`Revision.length`).
    private(set) var length = 0
    private(set) var count = 0
    private(set) var newestTime: RunningTime?
    private var newestRevision = 0
    /// The cost of the last transaction, and of the one before it.
    private var (newestLength, lengthBeforeNewest) = (0, 0)
    /// Undos and redos by the revision that each made. Includes the step of the oldest revision.
    private(set) var undoSteps: [Int: UndoStep] = [:]
    /// Whether a change replaced most of the list, so that the states before it share little with the current one.
    private(set) var isWorthPacking = false
    private var longDropped: [ListState] = []

    private struct RecentState: Sendable {
        let state: ListState
        /// The cost of the transaction after it.
        let length: Int
    }

    private static let recentMax = 8
    private static let remadeMax = 4
    /// The length in bytes of a transaction above which packing the history can be worth it.
    private static let lengthPackedMin = 1 << 20
    /// The cost in bytes up to which a dropped state or run is freed immediately. Others are freed in the background.
    private static let lengthFreedAtOnceMax = 1 << 18

    /// Whether the next transaction starts a new run, which needs the complete state before it.
    var needsWholeState: Bool { runs.isEmpty || isLastRunFull }
    private var isLastRunFull = false

    /// Adds the newest transaction.
    /// - Parameter before: the state before it. Nil if no complete state is needed, and no client will reconnect soon.
    mutating func append(_ step: PackedTransaction, after before: ListState?) {
        if needsWholeState {
            guard let before else { preconditionFailure("a run begins with a whole state") }
            if !runs.isEmpty { runs[runs.count - 1].close() }
            runs.append(HistoryRun(from: before))
        }
        isLastRunFull = runs[runs.count - 1].append(step)
        count += 1
        length += step.revision.length
        (newestLength, lengthBeforeNewest) = (step.revision.length, newestLength)
        newestRevision = step.revision.number
        if let undoStep = step.revision.undoStep { undoSteps[newestRevision] = undoStep }
        newestTime = step.revision.moment.running
        guard let before else { return recent.removeAll() }
        if newestLength > Self.lengthPackedMin, newestLength > before.snapshot.lengthCounted / 2 {
            isWorthPacking = true
        }
        recent.append(RecentState(state: before, length: step.revision.length))
        if recent.count > Self.recentMax { removeOldestRecent() }
    }

    /// The state at a revision, if it is kept. Rebuilds it from at most 512 transactions if necessary.
    mutating func state(at revision: Int) -> ListState? {
        guard let oldest, revision >= oldest, revision < newestRevision else { return nil }
        if let first = recent.first?.state, revision >= first.revision {
            return recent[revision - first.revision].state
        }
        let run = run(of: revision)
        let nearest = remade.filter { $0.revision >= run.base.revision && $0.revision <= revision }
            .max { $0.revision < $1.revision }
        guard let state = run.state(at: revision, from: nearest ?? run.base.state) else {
            lost.insert(revision)
            return nil
        }
        if state !== nearest, state !== run.base.whole {
            if remade.count == Self.remadeMax { remade.removeFirst() }
            remade.append(state)
        }
        return state
    }

    /// The approximate work of rebuilding states, in items. 0 if they exist.
    func workToRebuild(_ revisions: [Int]) -> Int {
        var size = 0
        for revision in revisions {
            guard let oldest, revision >= oldest, revision < newestRevision,
                revision < recent.first?.state.revision ?? .max, !remade.contains(where: { $0.revision == revision }),
                !lost.contains(revision)
            else { continue }
            let run = run(of: revision)
            if revision > run.base.revision { size += run.length / Self.lengthOfItem }
        }
        return size
    }

    /// Takes over states that a copy of this history has rebuilt.
    mutating func adoptRebuiltStates(of other: History) {
        lost.formUnion(other.lost)
        guard let oldest else { return }
        for state in other.remade where state.revision >= oldest {
            if remade.contains(where: { $0.revision == state.revision }) { continue }
            if remade.count == Self.remadeMax { remade.removeFirst() }
            remade.append(state)
        }
    }

    /// The approximate length of an item in the operations of a run, in bytes.
    private static let lengthOfItem = 32

    var hasRebuiltStates: Bool { !remade.isEmpty }

    mutating func dropRebuiltStates() { remade.removeAll() }

    /// The last run that begins no later than a revision. O(log runs)
    private func run(of revision: Int) -> HistoryRun {
        var (first, last) = (0, runs.count - 1)
        while first < last {
            let middle = (first + last + 1) / 2
            if runs[middle].base.revision <= revision { first = middle } else { last = middle - 1 }
        }
        return runs[first]
    }

    /// The oldest revision whose state is kept. Nil if only the current one is.
    var oldest: Int? { runs.first.map { $0.oldest } }

    func newestRevisions(_ limit: Int) -> [Revision] {
        var revisions: [Revision] = []
        for run in runs.reversed() where revisions.count < limit {
            revisions += run.revisions.reversed().prefix(limit - revisions.count)
        }
        if undoSteps.isEmpty { return revisions }
        for index in revisions.indices { revisions[index].undoStep = undoSteps[revisions[index].number] }
        return revisions
    }

    /// The states that are kept complete.
    var wholeStates: [ListState] { runs.compactMap(\.base.whole) + recent.map(\.state) + remade }

    /// The history of the list under another name. O(complete states)
    func named(_ name: ListName) -> History {
        runs.first?.base.name == name ? self : mapStates { $0.named(name) }
    }

    func mapStates(_ change: (ListState) -> ListState) -> History {
        var history = self
        history.runs = Deque(runs.map { $0.mapBase(change) })
        history.recent = Deque(recent.map { RecentState(state: change($0.state), length: $0.length) })
        history.remade = remade.map(change)
        return history
    }

    /// A copy for a list without clients that reconnect soon.
    var withoutRecentStates: History {
        var history = self
        history.recent = []
        history.remade = []
        return history
    }

    /// A packed copy, which takes little memory.
    func packed() -> History {
        var history = withoutRecentStates
        history.isWorthPacking = false
        history.longDropped = []
        for index in history.runs.indices {
            history.runs[index] =
                index == 0
                ? runs[0].packed(after: nil, from: nil)
                : runs[index].packed(after: history.runs[index - 1], from: runs[index - 1].base.whole)
        }
        return history
    }

    /// The number of items to unpack for its complete states; 0 if none is packed.
    var packedItems: Int { runs.reduce(0) { $0 + ($1.base.whole == nil ? $1.base.numberOfItems : 0) } }

    func unpacked() -> History {
        var history = self
        history.isWorthPacking = true
        for index in history.runs.indices {
            history.runs[index] = runs[index].unpacked(after: index == 0 ? nil : history.runs[index - 1])
        }
        return history
    }

    /// Packs the current state.
    /// - Parameter packed: this history, packed.
    func packed(_ current: KeptState, after packed: History) -> KeptState {
        current.packed(after: packed.runs.last, from: runs.last?.base.whole)
    }

    func isSame(as other: History) -> Bool {
        count == other.count && oldest == other.oldest && newestRevision == other.newestRevision
    }
}

// MARK: - Dropping what is too much

extension History {
    /// The share of the budget for all histories, in bytes.
    var cost: Int { length + count * Revision.overheadLength }

    /// The part of `cost` for its newest state.
    var newestCost: Int { count == 0 ? 0 : newestLength + Revision.overheadLength }

    /// Drops states that are too old or exceed the limit. The newest state stays until there is another, regardless of its cost.
    mutating func trim(_ limits: HistoryLimits, now: RunningTime) {
        while let oldest = runs.first?.firstRevision,
            length > limits.lengthMax && (count > 1 || !limits.isNewestKept)
                || limits.isExpired(oldest.moment.running, now: now)
        {
            removeOldest()
        }
    }

    /// Drops the oldest states until the others cost at most `costMax` bytes. The newest one stays unless the cut includes it.
    mutating func shorten(to costMax: Int, _ cut: HistoryCut) {
        while cost > costMax, count > (cut == .newest ? 0 : 1) { removeOldest() }
    }

    private mutating func removeOldest() {
        guard !runs.isEmpty else { return }
        let removed = runs[0].removeFirst()
        length -= removed.length
        count -= 1
        undoSteps[removed.number - 1] = nil
        if runs[0].isEmpty, let run = runs.popFirst(), run.length > Self.lengthFreedAtOnceMax {
            if let state = run.base.whole { longDropped.append(state) }
        }
        guard let oldest else {
            (newestLength, newestTime) = (0, nil)
            while !recent.isEmpty { removeOldestRecent() }
            return remade.removeAll()
        }
        while let first = recent.first?.state, first.revision < oldest { removeOldestRecent() }
        if !remade.isEmpty { remade.removeAll { $0.revision < oldest } }
    }

    private mutating func removeOldestRecent() {
        guard let dropped = recent.popFirst() else { return }
        if dropped.length > Self.lengthFreedAtOnceMax { longDropped.append(dropped.state) }
    }

    /// Returns and clears the dropped states that take long to free.
    mutating func takeLargeDroppedStates() -> [ListState] {
        if longDropped.isEmpty { return [] }
        defer { longDropped = [] }
        return longDropped
    }

    /// Drops a state that exceeds the limit for a whole history, with all states before it. Such a state is kept only
    /// while it is the newest. Returns the dropped states, because freeing them takes long.
    mutating func dropOutgrownStates(_ limits: HistoryLimits) -> [ListState] {
        guard count > 1, lengthBeforeNewest > limits.lengthMax else { return [] }
        let states = wholeStates
        while count > 1 { removeOldest() }
        longDropped = []
        return states
    }
}
