import DequeModule
import Diffable

/// The journal's in-memory record of a list. Used only on the journal's thread.
final class JournalledList {
    /// The newest state on disk. `chain` ends with it.
    private(set) var state: ListState
    private(set) var chain: ChecksumChain
    var access: AccessRecord
    /// The checksum of the list's schema rows; 0 for none.
    var schemas: Int64 = 0
    /// Nil for an existing list. A deleted list that can be undeleted has checkpoints like any other.
    private(set) var deletion: Deletion?
    /// The generation of the current checkpoint; 0 before the first one.
    var generation = 0
    /// In bytes, like all lengths here.
    var checkpointLength = 0
    /// The length of the rows since the checkpoint that history does not need. A new checkpoint would make them redundant.
    var journalLength = 0
    /// The number of transactions in these rows.
    var journalSteps = 0
    /// The journal length at which a checkpoint that failed on a full disk is tried again; 0 otherwise.
    var journalLengthMin = 0
    /// The numbers of the oldest row kept in the table `request`, and of the last one; 0 for none.
    var oldestResult = 1
    var lastResult = 0
    var checkpointing = Checkpointing.none

    /// The state for the next checkpoint: the newest complete state from before everything that history keeps. Nil if
    /// the current checkpoint has it already.
    private(set) var base: RowEnd?
    /// The rows since `base`, oldest first. History needs only the last `rowsKept` of them.
    private var rows: Deque<HistoryRow> = []
    /// The number of rows at the front that history does not need.
    private var forgottenRows = 0
    /// Complete states after some of the rows, oldest first. The next checkpoint can use one of them.
    private var marks: Deque<Mark> = []
    /// The number of rows removed so far. Offset of the row numbers in `marks`.
    private var rowsRemoved = 0
    /// The cost of the states of the rows that history needs, in bytes.
    private var lengthKept = 0
    private var stepsKept = 0

    private struct Mark {
        /// The number of the row that precedes the state.
        let row: Int
        var end: RowEnd
    }

    /// The list's share of the memory budget for all histories, in bytes.
    var cost: Int { lengthKept + stepsKept * Revision.overheadLength }

    /// The part of `cost` for the newest row, which is kept as a whole.
    var newestCost: Int {
        guard let kept = rows.last?.kept, rowsKept > 0 else { return 0 }
        return kept.length + kept.count * Revision.overheadLength
    }

    var rowsKept: Int { rows.count - forgottenRows }

    enum Checkpointing {
        case none
        /// `maintenance` contains a checkpoint of this list.
        case due
    }

    struct RowEnd {
        var state: ListState
        var chain: ChecksumChain
    }

    struct JournalledRow {
        /// The revision after the last transaction.
        var revision: Int
        var length: Int
        /// The number of transactions. One that spans several rows counts only in its first or last row.
        var steps = 0
        var kept = KeptTransactions()
        var chain: ChecksumChain
    }

    /// The compact form of a row. There may be as many rows as transactions.
    private struct HistoryRow {
        var length: Int32
        var steps: Int32
        var kept: KeptTransactions

        init(_ row: JournalledRow) {
            length = Int32(clamping: row.length)
            steps = Int32(clamping: row.steps)
            kept = row.kept
        }
    }

    init(state: ListState, chain: ChecksumChain, access: AccessRecord, deletion: Deletion? = nil) {
        self.state = state
        self.chain = chain
        self.access = access
        self.deletion = deletion
    }

    /// The number of rows kept in the table `request`.
    var numberOfResults: Int { lastResult == 0 ? 0 : lastResult - oldestResult + 1 }

    var share: ListsDigest.Share {
        ListsDigest.Share(state, chain, lastResult: lastResult, access: access, deletion: deletion, schemas: schemas)
    }
}

extension JournalledList {
    func delete(_ deletion: Deletion) {
        self.deletion = deletion
        dropStates()
    }

    /// Drops the contents: only an existing list gets further checkpoints.
    func dropStates() {
        state = state.moved(to: state.revision, Snapshot())
        base = nil
        marks.removeAll()
    }

    func undelete(as state: ListState) {
        deletion = nil
        self.state = state
    }

    /// Clears `base` if the current checkpoint has this state.
    func drop(base state: ListState) { if base?.state === state { base = nil } }

    func mapStates(_ change: (ListState) -> ListState) {
        state = change(state)
        if let base { self.base = RowEnd(state: change(base.state), chain: base.chain) }
        for index in marks.indices { marks[index].end.state = change(marks[index].end.state) }
    }

    /// Adds a row. A row with `part > 0` continues the row before.
    /// - Parameter end: returns the list after the row. Called only if a complete state is kept.
    func append(_ row: JournalledRow, part: Int, end: () -> ListState) {
        if part == 0 {
            rows.append(HistoryRow(row))
            lengthKept += row.kept.length
            stepsKept += row.kept.count
        } else {
            let last = rows.count - 1
            rows[last].length = Int32(clamping: Int(rows[last].length) + row.length)
            rows[last].steps += Int32(clamping: row.steps)
        }
        chain = row.chain
        guard part > 0 || keepsState(after: row) else { return }
        let mark = Mark(row: rowsRemoved + rows.count - 1, end: RowEnd(state: end(), chain: chain))
        if marks.last?.row == mark.row { marks.removeLast() }
        marks.append(mark)
    }

    /// Whether the state after a row is kept: after a long row, and at the revisions at which history keeps a complete
    /// state, because the two then share memory.
    private func keepsState(after row: JournalledRow) -> Bool {
        let interval = HistoryRun.countMax
        return row.revision / interval > (row.revision - row.steps) / interval
            || row.length > PackedOperations.lengthMax || row.kept.length > PackedOperations.lengthMax
    }

    /// Records the state after the row that was added last.
    func recordState(_ state: ListState) {
        // A later change in the same group may have renamed the list.
        self.state = state.named(self.state.name)
    }

    /// Drops the rows that history no longer keeps. A row stays while history keeps one of its transactions.
    func trim(_ limits: HistoryLimits, now: RunningTime) {
        while rowsKept > 0 {
            let oldest = rows[forgottenRows].kept
            let rest = lengthKept - oldest.length
            let isTooMuch = rest + oldest.lastLength > limits.lengthMax && (rowsKept > 1 || !limits.isNewestKept)
            guard isTooMuch || limits.isExpired(oldest.lastTime, now: now) else { break }
            forgetOldestRow()
        }
        advanceBase()
    }

    /// Drops the oldest rows until the others cost at most `costMax` bytes. The newest row stays unless the cut includes it.
    func shorten(to costMax: Int, _ cut: HistoryCut) {
        while cost > costMax, rowsKept > (cut == .newest ? 0 : 1) { forgetOldestRow() }
        advanceBase()
    }

    private func forgetOldestRow() {
        let oldest = rows[forgottenRows].kept
        lengthKept -= oldest.length
        stepsKept -= oldest.count
        forgottenRows += 1
    }

    /// Moves the base forward as far as history allows.
    private func advanceBase() {
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

/// The size and age of a row's transactions for history. Compact, because there may be as many as transactions.
struct KeptTransactions {
    private var lengths: (all: Int32, last: Int32) = (0, 0)
    private var number: Int32 = 0
    /// The time of the last transaction, in two halves, which avoids the padding of an eight-byte integer.
    private var time: (upper: Int32, lower: UInt32) = (0, 0)

    /// The cost of keeping the states before the transactions (`Revision.length`), in bytes.
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
