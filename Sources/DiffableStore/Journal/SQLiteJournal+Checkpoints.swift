import Diffable
import DiffableJSON
import Foundation
import GRDB
import Logging

// A checkpoint is written part by part under a new generation that is not current yet. The transaction with the last
// part also makes the generation current. So a crash at any point leaves one complete checkpoint and every journal row
// since. The old rows are deleted only after that.

extension SQLiteJournal {
    func beginCheckpoint(of number: Int) throws {
        guard let list = lists[number], let base = list.base else {
            lists[number]?.checkpointing = .none
            maintenance.removeFirst()
            return
        }
        let checkpoint = Checkpoint(of: list, base, partLengthMax: limits.checkpointPartLengthMax)
        maintenance[0] = .writing(checkpoint)
        try writePart(of: checkpoint)
    }

    func writePart(of checkpoint: Checkpoint) throws {
        var checkpoint = checkpoint
        // If the list was deleted in the meantime, the deletion of its rows follows in the queue.
        guard let list = lists[checkpoint.state.number] else {
            maintenance.removeFirst()
            return
        }
        var part = ByteWriter()
        part.reserve(limits.checkpointPartLengthMax)
        checkpoint.parts.writeNext(into: &part)
        let partChecksum = part.withUnsafeBytes { checksum($0) }
        checkpoint.checksum.add(partChecksum)
        try reserveDiskSpace(forLength: part.count)
        try part.withUnsafeBytes { try write($0, partChecksum, of: checkpoint, list) }
        checkpoint.part += 1
        checkpoint.length += part.count
        if checkpoint.parts.isDone { finish(checkpoint, of: list) } else { maintenance[0] = .writing(checkpoint) }
    }

    private func write(
        _ part: UnsafeRawBufferPointer, _ checksum: Int64, of checkpoint: Checkpoint, _ list: JournalledList
    ) throws {
        try writing { database in
            try database.inJournalTransaction {
                try database.cachedStatement(sql: "INSERT INTO checkpoint VALUES (?, ?, ?, ?, ?)")
                    .execute(
                        arguments: [
                            checkpoint.state.number, checkpoint.generation, checkpoint.part, checksum,
                            Data(lending: part),
                        ])
                if checkpoint.parts.isDone {
                    // The list may have been renamed or deleted since the checkpoint was begun.
                    var heading = ListHeading(
                        checkpoint.end, generation: checkpoint.generation, checkpointChecksum: checkpoint.checksum,
                        access: list.access, deletion: list.deletion)
                    heading.name = list.state.name.description
                    try heading.update(in: database)
                }
            }
        }
    }

    private func finish(_ checkpoint: Checkpoint, of list: JournalledList) {
        list.generation = checkpoint.generation
        list.checkpointLength = checkpoint.length
        list.journalLength -= checkpoint.coveredLength
        list.journalSteps -= checkpoint.coveredSteps
        list.journalLengthMin = 0
        list.checkpointing = .none
        list.drop(base: checkpoint.state)
        maintenance[0] = .rowDeletion(
            RowDeletion(
                list: checkpoint.state.number, revisionMax: checkpoint.state.revision,
                generationKept: checkpoint.generation))
        considerCheckpoint(of: list)
        logger.debug(
            "a checkpoint was written",
            metadata: [
                "list": "\(checkpoint.state.name)", "revision": "\(checkpoint.state.revision)",
                "bytes": "\(checkpoint.length)",
            ])
    }

    /// Gives up a checkpoint for which the disk has no room.
    func abandon(_ checkpoint: Checkpoint) {
        let number = checkpoint.state.number
        guard let list = lists[number] else {
            maintenance.removeFirst()
            return
        }
        list.checkpointing = .none
        list.journalLengthMin = list.journalLength + limits.journalLengthMin
        maintenance[0] = .rowDeletion(RowDeletion(list: number, revisionMax: -1, generationKept: list.generation))
    }
}
