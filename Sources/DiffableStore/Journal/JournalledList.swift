import DequeModule
import Diffable

/// What the journal keeps in memory of a list. Used on the journal's thread.
final class JournalledList {
    /// The newest state on disk, and the end of the chain with it.
    private(set) var state: ListState
    private(set) var chain: Chain
    /// The access that was set.
    var access: AccessRecord
    /// The checksum of the rows of its schemas; 0 for none.
    var schemas: Int64 = 0
    /// Nil for an existing list. One that was deleted and can come back has checkpoints like any other.
    private(set) var deletion: Deletion?
    /// The generation of the checkpoint in force; 0 before the first one.
    var generation = 0
    /// In bytes, like all lengths here.
    var checkpointLength = 0
    /// The length of the rows since the checkpoint that history does not need. Another checkpoint would save reading
    /// them.
    var journalLength = 0
    /// The number of transactions in these rows.
    var journalSteps = 0
    /// After a checkpoint that did not fit on the disk, the length of the journal at which it is tried again.
    var journalLengthMin = 0
    /// The numbers of its oldest row in the table `request` that stays, and of its last one; 0 for none.
    var oldestResult = 1
    var lastResult = 0
    var checkpointing = Checkpointing.none

    /// The state of the next checkpoint: the newest end of a row that is no newer than all that history keeps.
    private(set) var base: RowEnd
    /// The rows since `base`, oldest first: the list's history.
    private(set) var rows: Deque<JournalledRow> = []
    /// What keeping their states takes, in bytes.
    private var lengthKept = 0
    private var stepsKept = 0

    /// Their share of the budget that all lists have together, in bytes.
    var cost: Int { lengthKept + stepsKept * Revision.lengthBeside }

    /// What its newest transaction takes of that. The row with it stays as a whole.
    var newestCost: Int {
        guard let kept = rows.last?.kept, kept.count > 0 else { return 0 }
        return kept.length + kept.count * Revision.lengthBeside
    }

    enum Checkpointing {
        case none
        /// Whether `upkeep` has a checkpoint of this list.
        case due
    }

    /// The list as a row leaves it.
    struct RowEnd {
        var state: ListState
        var chain: Chain
    }

    struct JournalledRow {
        var end: RowEnd
        var length: Int
        /// How many transactions it has. A transaction in several rows is counted in its first or its last row.
        var steps = 0
        var kept = KeptTransactions()
    }

    init(state: ListState, chain: Chain, access: AccessRecord, deletion: Deletion? = nil) {
        self.state = state
        self.chain = chain
        self.access = access
        self.deletion = deletion
        base = RowEnd(state: state, chain: chain)
    }

    /// How many rows of requests stay.
    var numberOfResults: Int { lastResult == 0 ? 0 : lastResult - oldestResult + 1 }

    /// The list's share of the digest of all lists.
    var share: ListsDigest.Share {
        ListsDigest.Share(state, chain, lastResult: lastResult, access: access, deletion: deletion, schemas: schemas)
    }
}

extension JournalledList {
    func delete(_ deletion: Deletion) { self.deletion = deletion }

    /// The list exists again, under this name.
    func undelete(as name: ListName) {
        deletion = nil
        state = state.named(name)
    }

    /// Adds a row. A part continues the row before.
    func append(_ row: JournalledRow, part: Int) {
        if part == 0 {
            rows.append(row)
            lengthKept += row.kept.length
            stepsKept += row.kept.count
        } else {
            let last = rows.count - 1
            rows[last].end = row.end
            rows[last].length += row.length
            rows[last].steps += row.steps
        }
        // The list may have got another name after it in the same group.
        state = row.end.state.named(state.name)
        chain = row.end.chain
    }

    /// Drops the rows that history no longer keeps. A row stays while history keeps one of its transactions.
    func trim(_ limits: HistoryLimits, now: RunningTime) {
        while let oldest = rows.first {
            let rest = lengthKept - oldest.kept.length
            let isTooMuch = rest + oldest.kept.lastLength > limits.lengthMax && (rows.count > 1 || !limits.isNewestKept)
            guard isTooMuch || limits.isPast(oldest.kept.lastMoment, now: now) else { return }
            removeOldestRow()
        }
    }

    /// Drops the oldest rows until the others cost no more than this, in bytes. The newest one stays, unless the cut
    /// includes it.
    func shorten(to costMax: Int, _ cut: PastCut) {
        while cost > costMax, rows.count > (cut == .newest ? 0 : 1) { removeOldestRow() }
    }

    private func removeOldestRow() {
        guard let oldest = rows.popFirst() else { return }
        lengthKept -= oldest.kept.length
        stepsKept -= oldest.kept.count
        journalLength += oldest.length
        journalSteps += oldest.steps
        base = oldest.end
    }
}

/// What history keeps of the transactions of one row.
struct KeptTransactions {
    /// What keeping the states before them takes (`Revision.length`), in bytes.
    private(set) var length = 0
    private(set) var lastLength = 0
    private(set) var count = 0
    private(set) var lastMoment = Moment(
        timeOfDay: Timestamp(milliseconds: 0), running: RunningTime(milliseconds: 0))

    mutating func append(_ revision: Revision) {
        length += revision.length
        count += 1
        lastLength = revision.length
        lastMoment = revision.moment
    }
}
