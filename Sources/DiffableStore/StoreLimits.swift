import Diffable

/// How large things may grow, handed down from the configuration.
package struct StoreLimits: Sendable, Equatable {
    package var snapshot: SnapshotLimits
    package var listsMax: Int
    /// A list is checkpointed when its journal is longer than its last checkpoint, and than this, in bytes.
    package var journalLengthMin: Int
    /// Or when its journal has more transactions than half its items, and than this: each costs its time at the start.
    package var journalStepsMin: Int
    /// When nothing was written for so long, a quarter of the last checkpoint is enough: the disk has time for it, and
    /// the next start is faster.
    package var idleMilliseconds: Int
    /// In bytes; one part is written at a time, between groups.
    package var checkpointPartLengthMax: Int
    package var history: HistoryLimits
    package var requests: RequestLimits

    package init(
        snapshot: SnapshotLimits = SnapshotLimits(), listsMax: Int = 10_000, journalLengthMin: Int = 1 << 20,
        journalStepsMin: Int = 16_384, idleMilliseconds: Int = 2_000, checkpointPartLengthMax: Int = 256 << 10,
        history: HistoryLimits = HistoryLimits(), requests: RequestLimits = RequestLimits()
    ) {
        self.snapshot = snapshot
        self.listsMax = listsMax
        self.journalLengthMin = journalLengthMin
        self.journalStepsMin = journalStepsMin
        self.idleMilliseconds = idleMilliseconds
        self.checkpointPartLengthMax = checkpointPartLengthMax
        self.history = history
        self.requests = requests
    }
}
