import DequeModule
import Diffable

/// The earlier states of a list, as far back as they are kept.
///
/// A state shares with the next one what did not change, so keeping it costs about what changed.
struct History: Sendable {
    /// Oldest first, without a gap: each leads to the next one's `before`, and the last one to the current state.
    private var transitions: Deque<Transition> = []
    /// What the transitions take together, in bytes (`Revision.length`).
    private(set) var length = 0
    /// States that were dropped, and take long to free.
    private var longDropped: [ListState] = []

    private struct Transition: Sendable {
        let before: ListState
        let revision: Revision
    }

    /// Adds the state before the newest transaction.
    mutating func append(_ before: ListState, _ revision: Revision) {
        transitions.append(Transition(before: before, revision: revision))
        length += revision.length
    }

    /// Drops what is too old or too much. The newest state stays until there is another, however much it takes.
    mutating func trim(_ limits: HistoryLimits, now: RunningTime) {
        while let oldest = transitions.first?.revision,
            length > limits.lengthMax && (transitions.count > 1 || !limits.isNewestKept)
                || limits.isPast(oldest.moment, now: now)
        {
            removeOldest()
        }
    }

    /// The share of the budget that all lists have together, in bytes.
    var cost: Int { length + transitions.count * Revision.lengthBeside }

    /// What its newest state takes of that.
    var newestCost: Int { transitions.last.map { $0.revision.length + Revision.lengthBeside } ?? 0 }

    /// Drops the oldest states until the others cost no more than this, in bytes. The newest one stays, unless the cut
    /// includes it.
    mutating func shorten(to costMax: Int, _ cut: PastCut) {
        while cost > costMax, transitions.count > (cut == .newest ? 0 : 1) { removeOldest() }
    }

    private mutating func removeOldest() {
        guard let oldest = transitions.popFirst() else { return }
        length -= oldest.revision.length
        if oldest.revision.length > Self.lengthFreedAtOnceMax { longDropped.append(oldest.before) }
    }

    /// Hands out what was dropped and takes long to free.
    mutating func takeLongDropped() -> [ListState] {
        if longDropped.isEmpty { return [] }
        defer { longDropped = [] }
        return longDropped
    }

    /// In bytes.
    private static let lengthFreedAtOnceMax = 1 << 18

    /// A newest state that is longer than the limit for a whole past was kept all the same. When there is a next one,
    /// this drops it and all states before it, and returns them, because freeing them takes long.
    mutating func takeOutgrown(_ limits: HistoryLimits) -> [ListState] {
        guard transitions.count > 1, transitions[transitions.count - 2].revision.length > limits.lengthMax else {
            return []
        }
        let states = transitions.dropLast().map(\.before)
        while transitions.count > 1 { removeOldest() }
        longDropped = []
        return states
    }

    /// The time of the newest transaction.
    var newestTime: RunningTime? { transitions.last?.revision.moment.running }

    /// The state at a revision, if it is kept.
    func state(at revision: Int) -> ListState? {
        guard let first = transitions.first else { return nil }
        let index = revision - first.before.revision
        return transitions.indices.contains(index) ? transitions[index].before : nil
    }

    /// All that are kept, oldest first.
    var states: [ListState] { transitions.map(\.before) }

    /// The oldest revision whose state is kept; nil when there is none before the current one.
    var oldest: Int? { transitions.first?.before.revision }

    /// The past of the list under another name. O(transitions)
    func named(_ name: ListName) -> History {
        if transitions.first?.before.name == name { return self }
        var history = self
        history.transitions = Deque(
            transitions.map { Transition(before: $0.before.named(name), revision: $0.revision) })
        return history
    }

    /// Newest first.
    var revisions: some Sequence<Revision> { transitions.reversed().lazy.map(\.revision) }
}

/// How far back states are kept, in memory and, of a durable list, on disk.
package struct HistoryLimits: Sendable, Equatable {
    /// About how much one list's past may take, in bytes; 0 keeps none. A small change takes 1 to 7 KiB. The newest
    /// change is kept even if it takes more.
    package var lengthMax: Int
    /// How much the pasts of all lists may take together, in bytes (`PastBudget`).
    package var lengthInAllMax: Int
    /// The most that all deleted lists may take that can come back, with their pasts. 0 keeps none. It is a budget of its
    /// own: small changes fill that of the pasts on a busy day, and would push out what somebody deleted by mistake.
    package var deletedLengthMax: Int
    /// How long a past and a deleted list are kept, in seconds for which a daemon has run (`RunningTime`).
    package var ageMax: Int

    package init(
        lengthMax: Int = 4 << 20, lengthInAllMax: Int = 24 << 20, deletedLengthMax: Int = 16 << 20,
        ageMax: Int = 86_400
    ) {
        self.lengthMax = lengthMax
        self.lengthInAllMax = lengthInAllMax
        self.deletedLengthMax = deletedLengthMax
        self.ageMax = ageMax
    }

    var isNewestKept: Bool { lengthMax > 0 && lengthInAllMax > 0 }

    func isPast(_ moment: Moment, now: RunningTime) -> Bool { moment.running.isOlder(than: ageMax, at: now) }
}

/// What history remembers of one transaction.
package struct Revision: Sendable, Equatable {
    /// The revision that it led to.
    package let number: Int
    /// When it was made.
    package let moment: Moment
    /// How many operations its canonical difference has.
    package let operations: Int
    /// About how many bytes it takes to keep the state before (`Snapshot.lengthKept`).
    let length: Int
    /// Who made it; nil if that is not known.
    package let origin: Origin?

    /// What a transaction takes in memory beside `length`, in bytes: the state's own record, its place in history, its
    /// row in the journal, and what allocations waste. Measured by `Benchmarks/pasts.py`.
    static let lengthBeside = 512
}

/// Who asks for a change, as history tells it.
package struct Origin: Sendable, Equatable {
    /// What the client calls itself.
    package var name: String?
    package var processID: Int?
    package var userID: Int?
    /// The list's handler, who consented, if it was asked.
    package var handler: ClientIdentity?

    package init(name: String? = nil, processID: Int? = nil, userID: Int? = nil, handler: ClientIdentity? = nil) {
        self.name = name
        self.processID = processID
        self.userID = userID
        self.handler = handler
    }
}
