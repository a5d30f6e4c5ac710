import DequeModule

/// What the journal knows of a list beside its rows. Used on the journal's thread.
final class JournalledList {
    /// The newest that is on disk, and where the chain has come to with it.
    private(set) var state: ListState
    private(set) var chain: Chain
    /// What was said of who may what with it.
    var access: AccessRecord
    /// Names the parts of the checkpoint that counts; zero before the first one.
    var generation = 0
    /// In bytes, like all lengths here.
    var checkpointLength = 0
    /// Of the rows since the checkpoint that no history needs: of which another checkpoint would be a reading less.
    var journalLength = 0
    /// How many transactions are in them.
    var journalSteps = 0
    /// A checkpoint that did not fit on the disk is not tried again before the journal is longer than this.
    var journalLengthMin = 0
    /// The number of its oldest row in the table `request` that is not to be deleted, and of its last one; 0 for none.
    var oldestResult = 1
    var lastResult = 0
    var checkpointing = Checkpointing.none

    /// What the next checkpoint is to be of: the newest end of a row that is no newer than all that history keeps.
    private(set) var base: RowEnd
    /// The rows since, oldest first: the list's history.
    private(set) var rows: Deque<JournalledRow> = []
    /// What keeping them takes.
    private var lengthKept = 0

    enum Checkpointing {
        case none
        /// One is in `upkeep`.
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
        /// How many steps it has; of one in several parts, the first or the last counts it.
        var steps = 0
        var kept = KeptSteps()
    }

    init(state: ListState, chain: Chain, access: AccessRecord) {
        self.state = state
        self.chain = chain
        self.access = access
        base = RowEnd(state: state, chain: chain)
    }

    /// The list's part of what all lists are.
    var share: ListsDigest.Share { ListsDigest.Share(state, chain, lastResult: lastResult, access: access) }
}

extension JournalledList {
    /// A row has come; a part goes on with the row before.
    func append(_ row: JournalledRow, part: Int) {
        if part == 0 {
            rows.append(row)
            lengthKept += row.kept.length
        } else {
            let last = rows.count - 1
            rows[last].end = row.end
            rows[last].length += row.length
            rows[last].steps += row.steps
        }
        state = row.end.state
        chain = row.end.chain
    }

    /// Lets go of the rows that history does not keep any more. A row stays until none of its steps is kept.
    func trim(_ limits: HistoryLimits, now: Timestamp) {
        while let oldest = rows.first {
            let rest = lengthKept - oldest.kept.length
            guard rest + oldest.kept.lastLength > limits.lengthMax || limits.isPast(oldest.kept.lastTime, now: now)
            else { return }
            rows.removeFirst()
            lengthKept = rest
            journalLength += oldest.length
            journalSteps += oldest.steps
            base = oldest.end
        }
    }
}

/// What the steps of one row are to history.
struct KeptSteps {
    /// What keeping the states before them takes (`Revision.length`), in bytes.
    private(set) var length = 0
    private(set) var lastLength = 0
    private(set) var lastTime = Timestamp(milliseconds: 0)

    mutating func append(_ revision: Revision) {
        length += revision.length
        lastLength = revision.length
        lastTime = revision.time
    }
}
