import Diffable

/// How large lists and their files may grow. The configuration sets some of it.
package struct StoreLimits: Sendable, Equatable {
    package var snapshot: SnapshotLimits
    package var listsMax: Int
    /// Of one user. Root and the daemon's own user have no limit.
    package var listsPerUserMax: Int
    /// The users that subordinate ids count for.
    package var subordinates = SubordinateUsers()
    /// The number of first lists, each of another user, that can exceed `listsMax`.
    package static let firstListsKept = 4_096
    /// Of all lists of one user together, in bytes (`Snapshot.lengthCounted`).
    package var contentPerUserMax: Int
    /// A list is checkpointed when its journal is longer than its last checkpoint, and longer than this, in bytes.
    package var journalLengthMin: Int
    /// Many lists are checkpointed sooner, so that rows that history does not need take no more than about this of the
    /// disk, in bytes.
    package var journalLengthInAllMax: Int
    /// A list is also checkpointed when its journal has more transactions than half its items, and more than this: each
    /// costs time at the start.
    package var journalStepsMin: Int
    /// When nothing was written for this long, a quarter of the last checkpoint is enough: the disk has time, and the
    /// next start is faster.
    package var idleMilliseconds: Int
    /// In bytes. One part is written at a time, between groups.
    package var checkpointPartLengthMax: Int
    package var history: HistoryLimits
    package var requests: RequestLimits
    /// How long a change of a shared list waits for the engine, in seconds.
    package var engineWaitMax: Int

    package init(
        snapshot: SnapshotLimits = SnapshotLimits(), listsMax: Int = 10_000, listsPerUserMax: Int = 250,
        contentPerUserMax: Int = 64 << 20, journalLengthMin: Int = 1 << 20, journalLengthInAllMax: Int = 64 << 20,
        journalStepsMin: Int = 16_384, idleMilliseconds: Int = 2_000, checkpointPartLengthMax: Int = 256 << 10,
        history: HistoryLimits = HistoryLimits(), requests: RequestLimits = RequestLimits(), engineWaitMax: Int = 10
    ) {
        self.snapshot = snapshot
        self.listsMax = listsMax
        self.listsPerUserMax = listsPerUserMax
        self.contentPerUserMax = contentPerUserMax
        self.journalLengthMin = journalLengthMin
        self.journalLengthInAllMax = journalLengthInAllMax
        self.journalStepsMin = journalStepsMin
        self.idleMilliseconds = idleMilliseconds
        self.checkpointPartLengthMax = checkpointPartLengthMax
        self.history = history
        self.requests = requests
        self.engineWaitMax = engineWaitMax
    }
}
