import Diffable

/// Limits for the size of lists and of their files. Some can be configured.
package struct StoreLimits: Sendable, Equatable {
    package var snapshot: SnapshotLimits
    package var listsMax: Int
    /// The maximum number of lists of one user. Root and the daemon's own user have no limit.
    package var listsPerUserMax: Int
    /// The users that subordinate user ids count towards.
    package var subordinates = SubordinateUsers()
    /// The number of users whose first list is accepted even beyond `listsMax`.
    package static let firstListsKept = 4_096
    /// The total length of all lists of one user, in bytes (`Snapshot.lengthCounted`).
    package var contentPerUserMax: Int
    /// In bytes. A list is checkpointed when its journal is longer than this and longer than its last checkpoint.
    package var journalLengthMin: Int
    /// In bytes. With many lists, checkpoints are made sooner, so that redundant rows take at most about this space on disk.
    package var journalLengthInAllMax: Int
    /// A list is also checkpointed when its journal has more transactions than this and more than half its items,
    /// because each transaction adds to the startup time.
    package var journalStepsMin: Int
    /// After this time without a write, a journal of a quarter of the last checkpoint is enough for a new one: the disk
    /// is idle, and the next startup becomes faster.
    package var idleMilliseconds: Int
    /// In bytes. Parts are written one at a time, between commit groups.
    package var checkpointPartLengthMax: Int
    package var history: HistoryLimits
    package var requests: RequestLimits
    /// The longest time that a change of a shared list waits for etcd, in seconds.
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
