/// What the journal knows of a list beside its rows.
struct JournalledList {
    /// The newest that is on disk.
    var state: ListState
    /// Names the parts of the checkpoint that counts; zero before the first one.
    var generation = 0
    /// In bytes, like all lengths here.
    var checkpointLength = 0
    /// Of the rows since the checkpoint.
    var journalLength = 0
    /// How many transactions are in them.
    var journalSteps = 0
    /// A checkpoint that did not fit on the disk is not tried again before the journal is longer than this.
    var journalLengthMin = 0
    /// The number of its oldest row in the table `request` that is not to be deleted.
    var oldestResult = 1
    var checkpointing = Checkpointing.none

    enum Checkpointing {
        case none
        /// One is in `upkeep`.
        case due
    }
}
