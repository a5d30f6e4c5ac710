/// Work that the journal does in slices between groups.
enum Upkeep {
    /// Write the list's state as a checkpoint, as it is when the turn comes.
    case checkpoint(list: Int)
    /// Go on with a checkpoint.
    case writing(Checkpoint)
    /// Delete rows that nothing refers to any more.
    case retirement(Retirement)
    /// Delete the results of requests before this number.
    case requests(list: Int, before: Int)
    /// Give free pages of the database back to the disk. `before` is their number before the last step; nil before the first.
    case vacuum(before: Int?)
}

/// An unfinished checkpoint: one state, part by part.
struct Checkpoint {
    let end: JournalledList.RowEnd
    let generation: Int
    /// How much of the journal it makes superfluous: bytes and transactions.
    let coveredLength: Int
    let coveredSteps: Int
    var parts: CheckpointParts
    var part = 0
    /// Over the checksums of its parts so far.
    var checksum = ListHeading.checksumOfNoParts
    /// In bytes, so far.
    var length = 0

    var state: ListState { end.state }

    init(of list: JournalledList, _ end: JournalledList.RowEnd, partLengthMax: Int) {
        self.end = end
        generation = list.generation + 1
        coveredLength = list.journalLength
        coveredSteps = list.journalSteps
        parts = CheckpointParts(of: end.state.snapshot, lengthMax: partLengthMax)
    }
}

/// Which rows of a list are deleted.
struct Retirement {
    let list: Int
    /// Journal rows up to this revision.
    let revisionMax: Int
    /// Checkpoint parts of every other generation.
    let generationKept: Int

    /// Everything of a deleted list.
    var isOfEverything: Bool { generationKept < 0 && revisionMax == .max }

    static func everything(list: Int) -> Retirement {
        Retirement(list: list, revisionMax: .max, generationKept: -1)
    }
}
