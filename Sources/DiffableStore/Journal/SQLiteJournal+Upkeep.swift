import Diffable
import DiffableJSON
import Foundation
import GRDB
import Logging

// A checkpoint is written part by part under a generation that nothing leads to. The transaction with the last part
// also makes the generation the list's, so that a crash at any point leaves one complete checkpoint and every journal
// row since. Only then the old rows go.

extension SQLiteJournal {
    /// Journal rows that one slice deletes, at most; and parts of old checkpoints.
    private static let retiredRowsMax = 256
    private static let retiredPartsMax = 4

    /// When a checkpoint is worth what it costs.
    enum Occasion {
        case group
        /// Nothing else is to be done.
        case idleness
    }

    func considerCheckpoint(of list: JournalledList, on occasion: Occasion = .group) {
        guard case .none = list.checkpointing else { return }
        // The rows that are history are no reason: they stay whatever is done.
        let checkpointLength = occasion == .idleness ? list.checkpointLength / 4 : list.checkpointLength
        let isLong = list.journalLength > max(limits.journalLengthMin, checkpointLength)
        let isSlow = list.journalSteps > max(limits.journalStepsMin, list.state.snapshot.numberOfItems / 2)
        guard isLong || isSlow, list.journalLength > list.journalLengthMin else { return }
        list.checkpointing = .due
        upkeep.append(.checkpoint(list: list.state.number))
    }

    func awaitIdleness() {
        guard !isIdlenessAwaited else { return }
        isIdlenessAwaited = true
        let groupsSeen = groupsWritten
        executor.execute(afterMilliseconds: limits.idleMilliseconds) {
            self.assumeIsolated { $0.lookForIdleness(since: groupsSeen) }
        }
    }

    private func lookForIdleness(since groupsSeen: Int) {
        isIdlenessAwaited = false
        if case .closed = upkeepState { return }
        guard groupsWritten == groupsSeen else { return awaitIdleness() }
        let now = now()
        for list in lists.values {
            list.trim(limits.history, now: now)
            considerCheckpoint(of: list, on: .idleness)
        }
        scheduleUpkeep()
    }

    func scheduleUpkeep() {
        guard case .idle = upkeepState, !upkeep.isEmpty || isLogLong else { return }
        upkeepState = .scheduled
        executor.execute { self.assumeIsolated { $0.doUpkeep() } }
    }

    /// One slice. Groups that arrived before it was scheduled have been written by now, and those that arrive during
    /// it come before the next.
    private func doUpkeep() {
        guard case .scheduled = upkeepState else { return }
        upkeepState = .idle
        if isLogLong {
            _ = moveLog()
            return scheduleUpkeep()
        }
        errno = 0
        do {
            switch upkeep[0] {
            case .checkpoint(let number): try beginCheckpoint(of: number)
            case .writing(let checkpoint): try writePart(of: checkpoint)
            case .retirement(let retirement): try retire(retirement)
            case .requests(let list, let oldestKept): try retireRequests(of: list, before: oldestKept)
            }
        } catch {
            upkeepFailed(journalError(error))
        }
        scheduleUpkeep()
    }

    /// As many pages in SQLite's log are moved at a time.
    private static let movedPagesMin = 1_000
    /// SQLite's own choice, in bytes.
    private static let pageLength = 4_096

    private var isLogLong: Bool { pagesWritten - pagesMoved >= SQLiteJournal.movedPagesMin }

    /// Moves what is in SQLite's log into the database, so that the log begins anew. False when that fails.
    func moveLog() -> Bool {
        executor.progress.expectToWrite((pagesWritten - pagesMoved) * SQLiteJournal.pageLength)
        errno = 0
        do {
            _ = try writing { try $0.checkpoint(.passive) }
            pagesMoved = pagesWritten
            return true
        } catch {
            switch journalError(error) {
            case .noSpace: upkeepState = .postponed
            case .failed(let reason): stopUpkeep(because: reason)
            }
            return false
        }
    }

    private func stopUpkeep(because reason: String) {
        logger.error("the journal cannot be kept up", metadata: ["reason": "\(reason)"])
        upkeepState = .failed(reason: reason)
    }

    private func upkeepFailed(_ error: JournalError) {
        switch error {
        case .noSpace:
            upkeepState = .postponed
            guard case .writing(let checkpoint) = upkeep[0] else { return }
            logger.warning(
                "the disk is too full for a checkpoint; the journal grows on",
                metadata: ["list": "\(checkpoint.state.name)", "bytes": "\(checkpoint.length)"])
            abandon(checkpoint)
        case .failed(let reason):
            stopUpkeep(because: reason)
        }
    }

    private func abandon(_ checkpoint: Checkpoint) {
        let number = checkpoint.state.number
        guard let list = lists[number] else {
            upkeep.removeFirst()
            return
        }
        list.checkpointing = .none
        list.journalLengthMin = list.journalLength + limits.journalLengthMin
        upkeep[0] = .retirement(Retirement(list: number, revisionMax: -1, generationKept: list.generation))
    }
}

// MARK: - Slices

extension SQLiteJournal {
    private func beginCheckpoint(of number: Int) throws {
        guard let list = lists[number] else {
            upkeep.removeFirst()
            return
        }
        let checkpoint = Checkpoint(of: list, partLengthMax: limits.checkpointPartLengthMax)
        upkeep[0] = .writing(checkpoint)
        try writePart(of: checkpoint)
    }

    private func writePart(of checkpoint: Checkpoint) throws {
        var checkpoint = checkpoint
        // A list that was deleted meanwhile has its retirement behind this in the queue.
        guard let list = lists[checkpoint.state.number] else {
            upkeep.removeFirst()
            return
        }
        var part = ByteWriter()
        part.reserve(limits.checkpointPartLengthMax)
        checkpoint.parts.writeNext(into: &part)
        let partChecksum = part.withUnsafeBytes { checksum($0) }
        checkpoint.checksum.add(partChecksum)
        try part.withUnsafeBytes { try write($0, partChecksum, of: checkpoint) }
        checkpoint.part += 1
        checkpoint.length += part.count
        if checkpoint.parts.isDone { finish(checkpoint, of: list) } else { upkeep[0] = .writing(checkpoint) }
    }

    private func write(_ part: UnsafeRawBufferPointer, _ checksum: Int64, of checkpoint: Checkpoint) throws {
        try writing { database in
            try database.inJournalTransaction {
                try database.cachedStatement(sql: "INSERT INTO checkpoint VALUES (?, ?, ?, ?, ?)")
                    .execute(
                        arguments: [
                            checkpoint.state.number, checkpoint.generation, checkpoint.part, checksum,
                            Data(lending: part),
                        ])
                if checkpoint.parts.isDone {
                    try ListHeading(
                        checkpoint.end, generation: checkpoint.generation, checkpointChecksum: checkpoint.checksum,
                        access: lists[checkpoint.state.number]?.access ?? AccessRecord()
                    ).update(in: database)
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
        upkeep[0] = .retirement(
            Retirement(
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

    private func retire(_ retirement: Retirement) throws {
        var deleted = 0
        try writing { database in
            try database.inJournalTransaction {
                try database.cachedStatement(
                    sql: """
                        DELETE FROM journal WHERE (list, revision, part) IN (
                            SELECT list, revision, part FROM journal WHERE list = ? AND revision <= ? LIMIT ?)
                        """
                ).execute(arguments: [retirement.list, retirement.revisionMax, SQLiteJournal.retiredRowsMax])
                deleted += database.changesCount
                try database.cachedStatement(
                    sql: """
                        DELETE FROM checkpoint WHERE (list, generation, part) IN (
                            SELECT list, generation, part FROM checkpoint WHERE list = ? AND generation <> ? LIMIT ?)
                        """
                ).execute(arguments: [retirement.list, retirement.generationKept, SQLiteJournal.retiredPartsMax])
                deleted += database.changesCount
                if retirement.isOfEverything,
                    try !deleteResults(of: retirement.list, before: .max, from: database)
                {
                    deleted += 1
                }
            }
        }
        if deleted == 0 { upkeep.removeFirst() }
    }

    private func retireRequests(of list: Int, before oldestKept: Int) throws {
        var isDone = false
        try writing { database in
            try database.inJournalTransaction(isOneStatement: true) {
                isDone = try deleteResults(of: list, before: oldestKept, from: database)
            }
        }
        if isDone { upkeep.removeFirst() }
    }
}
