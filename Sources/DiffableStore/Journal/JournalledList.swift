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

    /// The state of the next checkpoint: the newest whole state that is no newer than all that history keeps. Nil if the
    /// checkpoint in force has it, and for a deleted list.
    private(set) var base: RowEnd?
    /// The rows since `base`, oldest first. History needs no more than the last ones.
    private var rows: Deque<PastRow> = []
    /// How many of the first rows history does not need.
    private var forgottenRows = 0
    /// Whole states between them, which the next checkpoint may be of; oldest first.
    private var marks: Deque<Mark> = []
    /// How many rows were removed so far, by which `marks` counts.
    private var rowsRemoved = 0
    /// What keeping the states of the rows that history needs takes, in bytes.
    private var lengthKept = 0
    private var stepsKept = 0

    private struct Mark {
        /// The number of the row that it is the end of.
        let row: Int
        var end: RowEnd
    }

    /// Their share of the budget that all lists have together, in bytes.
    var cost: Int { lengthKept + stepsKept * Revision.lengthBeside }

    /// What its newest transaction takes of that. The row with it stays as a whole.
    var newestCost: Int {
        guard let kept = rows.last?.kept, rowsKept > 0 else { return 0 }
        return kept.length + kept.count * Revision.lengthBeside
    }

    /// How many rows history needs.
    var rowsKept: Int { rows.count - forgottenRows }

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

    /// A row as it was written or read.
    struct JournalledRow {
        /// After its last transaction.
        var revision: Int
        /// In bytes.
        var length: Int
        /// How many transactions it has. A transaction in several rows is counted in its first or its last row.
        var steps = 0
        var kept = KeptTransactions()
        var chain: Chain
    }

    /// What is kept of a row, in little memory: there may be as many as transactions.
    private struct PastRow {
        var length: Int32
        var steps: Int32
        var kept: KeptTransactions

        init(_ row: JournalledRow) {
            length = Int32(clamping: row.length)
            steps = Int32(clamping: row.steps)
            kept = row.kept
        }
    }

    init(state: ListState, chain: Chain, access: AccessRecord, deletion: Deletion? = nil) {
        self.state = state
        self.chain = chain
        self.access = access
        self.deletion = deletion
    }

    /// How many rows of requests stay.
    var numberOfResults: Int { lastResult == 0 ? 0 : lastResult - oldestResult + 1 }

    /// The list's share of the digest of all lists.
    var share: ListsDigest.Share {
        ListsDigest.Share(state, chain, lastResult: lastResult, access: access, deletion: deletion, schemas: schemas)
    }
}

extension JournalledList {
    func delete(_ deletion: Deletion) {
        self.deletion = deletion
        dropStates()
    }

    /// Keeps no contents: only a list that exists has further checkpoints.
    func dropStates() {
        state = state.moved(to: state.revision, Snapshot())
        base = nil
        marks.removeAll()
    }

    /// The list exists again, in this state.
    func undelete(as state: ListState) {
        deletion = nil
        self.state = state
    }

    /// The checkpoint in force has this state.
    func drop(base state: ListState) { if base?.state === state { base = nil } }

    /// Puts another state in place of each that it has.
    func mapStates(_ change: (ListState) -> ListState) {
        state = change(state)
        if let base { self.base = RowEnd(state: change(base.state), chain: base.chain) }
        for index in marks.indices { marks[index].end.state = change(marks[index].end.state) }
    }

    /// Adds a row. A part continues the row before.
    /// - Parameter end: the list as the row leaves it. Asked for only where a whole state is kept.
    func append(_ row: JournalledRow, part: Int, end: () -> ListState) {
        if part == 0 {
            rows.append(PastRow(row))
            lengthKept += row.kept.length
            stepsKept += row.kept.count
        } else {
            let last = rows.count - 1
            rows[last].length = Int32(clamping: Int(rows[last].length) + row.length)
            rows[last].steps += Int32(clamping: row.steps)
        }
        chain = row.chain
        guard part > 0 || isMark(row) else { return }
        let mark = Mark(row: rowsRemoved + rows.count - 1, end: RowEnd(state: end(), chain: chain))
        if marks.last?.row == mark.row { marks.removeLast() }
        marks.append(mark)
    }

    /// Whether the state that a row leaves is kept as a whole: behind a long one, and at revisions at which history keeps one,
    /// with which it shares what did not change.
    private func isMark(_ row: JournalledRow) -> Bool {
        let interval = PastRun.countMax
        return row.revision / interval > (row.revision - row.steps) / interval
            || row.length > PackedOperations.lengthMax || row.kept.length > PackedOperations.lengthMax
    }

    /// The list is at this state, after the row that was added last.
    func reach(_ state: ListState) {
        // It may have got another name after it in the same group.
        self.state = state.named(self.state.name)
    }

    /// Drops the rows that history no longer keeps. A row stays while history keeps one of its transactions.
    func trim(_ limits: HistoryLimits, now: RunningTime) {
        while rowsKept > 0 {
            let oldest = rows[forgottenRows].kept
            let rest = lengthKept - oldest.length
            let isTooMuch = rest + oldest.lastLength > limits.lengthMax && (rowsKept > 1 || !limits.isNewestKept)
            guard isTooMuch || limits.isPast(oldest.lastTime, now: now) else { break }
            forgetOldestRow()
        }
        moveBase()
    }

    /// Drops the oldest rows until the others cost no more than this, in bytes. The newest one stays, unless the cut
    /// includes it.
    func shorten(to costMax: Int, _ cut: PastCut) {
        while cost > costMax, rowsKept > (cut == .newest ? 0 : 1) { forgetOldestRow() }
        moveBase()
    }

    private func forgetOldestRow() {
        let oldest = rows[forgottenRows].kept
        lengthKept -= oldest.length
        stepsKept -= oldest.count
        forgottenRows += 1
    }

    /// Moves the base as far on as history allows.
    private func moveBase() {
        if rowsKept == 0 {
            if deletion == nil, base?.state !== state { base = RowEnd(state: state, chain: chain) }
            marks.removeAll()
            return removeRows(rows.count)
        }
        while let mark = marks.first, mark.row < rowsRemoved + forgottenRows {
            base = mark.end
            marks.removeFirst()
            removeRows(mark.row + 1 - rowsRemoved)
        }
    }

    /// They are before the base.
    private func removeRows(_ count: Int) {
        for row in rows.prefix(count) {
            journalLength += Int(row.length)
            journalSteps += Int(row.steps)
        }
        rows.removeFirst(count)
        rowsRemoved += count
        forgottenRows -= count
    }
}

/// What history keeps of the transactions of one row. As small as it can be: there may be as many as transactions.
struct KeptTransactions {
    private var lengths: (all: Int32, last: Int32) = (0, 0)
    private var number: Int32 = 0
    /// When the last one was made, in two halves: an integer of eight bytes would be put at a multiple of eight.
    private var time: (upper: Int32, lower: UInt32) = (0, 0)

    /// What keeping the states before them takes (`Revision.length`), in bytes.
    var length: Int { Int(lengths.all) }
    var lastLength: Int { Int(lengths.last) }
    var count: Int { Int(number) }
    var lastTime: RunningTime { RunningTime(milliseconds: Int(time.upper) << 32 | Int(time.lower)) }

    mutating func append(_ revision: Revision) {
        let milliseconds = revision.moment.running.milliseconds
        lengths = (Int32(clamping: length + revision.length), Int32(clamping: revision.length))
        number += 1
        time = (Int32(clamping: milliseconds >> 32), UInt32(truncatingIfNeeded: milliseconds))
    }
}
