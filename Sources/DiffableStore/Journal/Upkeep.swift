/// Maintenance that the journal does in slices between commit groups.
enum MaintenanceTask {
    /// Start a checkpoint of the list's base state.
    case checkpoint(list: Int)
    case writing(Checkpoint)
    /// Delete rows that are no longer referenced.
    case rowDeletion(RowDeletion)
    /// Delete the results of requests before this number.
    case requests(list: Int, before: Int)
    /// Return free pages of the database to the disk. `before` is their number before the last step; nil for the first step.
    case vacuum(before: Int?)
}

struct Checkpoint {
    let end: JournalledList.RowEnd
    let generation: Int
    /// The length of the journal rows that it makes redundant, in bytes, and the number of their transactions.
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

struct RowDeletion {
    let list: Int
    /// Journal rows up to this revision are deleted.
    let revisionMax: Int
    /// Checkpoint parts of all other generations are deleted.
    let generationKept: Int

    /// Whether everything of a deleted list is deleted.
    var isOfEverything: Bool { generationKept < 0 && revisionMax == .max }

    static func everything(list: Int) -> RowDeletion {
        RowDeletion(list: list, revisionMax: .max, generationKept: -1)
    }
}
