/// Work that the journal does in slices between groups.
enum Upkeep {
    /// The list's state is to be written whole, as it is when the turn comes.
    case checkpoint(list: Int)
    /// A checkpoint is being written.
    case writing(Checkpoint)
    /// Rows that nothing leads to any more are to be deleted.
    case retirement(Retirement)
    /// What is remembered of requests up to this number is to be deleted.
    case requests(list: Int, before: Int)
}

/// A checkpoint in the making: one state, part by part.
struct Checkpoint {
    let end: JournalledList.RowEnd
    let generation: Int
    /// How much of the journal it makes superfluous, in bytes and in transactions.
    let coveredLength: Int
    let coveredSteps: Int
    var parts: CheckpointParts
    var part = 0
    /// Over the checksums of its parts, so far.
    var checksum = ListHeading.checksumOfNoParts
    /// In bytes, so far.
    var length = 0

    var state: ListState { end.state }

    init(of list: JournalledList, partLengthMax: Int) {
        end = list.base
        generation = list.generation + 1
        coveredLength = list.journalLength
        coveredSteps = list.journalSteps
        parts = CheckpointParts(of: end.state.snapshot, lengthMax: partLengthMax)
    }
}

/// Which rows of a list go.
struct Retirement {
    let list: Int
    /// Journal rows up to this revision.
    let revisionMax: Int
    /// Checkpoint parts of every other generation.
    let generationKept: Int

    /// Of a list that was deleted: then all that is known of it goes.
    var isOfEverything: Bool { generationKept < 0 && revisionMax == .max }

    static func everything(list: Int) -> Retirement {
        Retirement(list: list, revisionMax: .max, generationKept: -1)
    }
}
