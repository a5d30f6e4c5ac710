import Diffable
import DiffableJSON
import Foundation
import GRDB
import Logging

// A checkpoint is written part by part under a new generation that is not current yet. The transaction with the last
// part also makes the generation current. So a crash at any point leaves one complete checkpoint and every journal row
// since. The old rows are deleted only after that.

extension SQLiteJournal {
    /// The maximum number of journal rows that one slice deletes, and of parts of old checkpoints.
    private static let retiredRowsMax = 256
    private static let retiredPartsMax = 4

    enum CheckpointTrigger {
        case group
        case idleness
    }

    func considerCheckpoint(of list: JournalledList, on occasion: CheckpointTrigger = .group) {
        guard case .none = list.checkpointing, list.base != nil else { return }
        // Rows that history needs do not count, because a checkpoint does not remove them.
        let checkpointLength = occasion == .idleness ? list.checkpointLength / 4 : list.checkpointLength
        let isLong = list.journalLength > max(journalLengthMin, checkpointLength)
        let isSlow = list.journalSteps > max(limits.journalStepsMin, list.state.snapshot.numberOfItems / 2)
        guard isLong || isSlow, list.journalLength > list.journalLengthMin else { return }
        list.checkpointing = .due
        maintenance.append(.checkpoint(list: list.state.number))
    }

    private var journalLengthMin: Int {
        min(limits.journalLengthMin, max(16 << 10, limits.journalLengthInAllMax / max(lists.count, 1)))
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
        if case .closed = maintenanceState { return }
        guard groupsWritten == groupsSeen else { return awaitIdleness() }
        let now = clock.running
        for list in lists.values where list.deletion == nil {
            list.trim(limits.history, now: now)
            historyBudget.set(list.cost, of: list)
            considerCheckpoint(of: list, on: .idleness)
        }
        considerVacuum()
        scheduleMaintenance()
    }

    func scheduleMaintenance() {
        guard case .idle = maintenanceState, !maintenance.isEmpty || isLogLong else { return }
        maintenanceState = .scheduled
        executor.execute { self.assumeIsolated { $0.doMaintenance() } }
    }

    /// Does one slice of maintenance. Groups that arrived before it was scheduled are already written. Groups that arrive
    /// during it are written before the next slice.
    private func doMaintenance() {
        guard case .scheduled = maintenanceState else { return }
        maintenanceState = .idle
        if isLogLong {
            _ = moveLog()
            return scheduleMaintenance()
        }
        do throws(JournalError) {
            do throws(JournalError) { try doSlice() } catch {
                // As for a commit group. Deletions on a full disk should free space at once.
                guard error == .noSpace, moveLog() else { throw error }
                try doSlice()
            }
        } catch {
            // Moving the log may have failed for a worse reason.
            if case .failed = maintenanceState { return }
            maintenanceFailed(error)
        }
        scheduleMaintenance()
    }

    private func doSlice() throws(JournalError) {
        errno = 0
        do {
            switch maintenance[0] {
            case .checkpoint(let number): try beginCheckpoint(of: number)
            case .writing(let checkpoint): try writePart(of: checkpoint)
            case .rowDeletion(let retirement): try retire(retirement)
            case .requests(let list, let oldestKept): try retireRequests(of: list, before: oldestKept)
            case .vacuum(let before): try vacuum(before: before)
            }
        } catch {
            throw journalError(error)
        }
    }

    /// In pages, SQLite's own default. A longer log is moved into the database.
    private static let movedPagesMin = 1_000
    /// In bytes, SQLite's own default.
    static let pageLength = 4_096

    private var isLogLong: Bool { pagesWritten - pagesMoved >= SQLiteJournal.movedPagesMin }

    /// Moves the pages in SQLite's log into the database, so that the log restarts. Returns false on failure.
    /// - Parameter kind: `.truncate` also empties the log file.
    func moveLog(_ kind: Database.CheckpointMode = .passive) -> Bool {
        executor.progress.expectToWrite((pagesWritten - pagesMoved) * SQLiteJournal.pageLength)
        errno = 0
        do {
            _ = try writing { try $0.checkpoint(kind) }
            pagesMoved = pagesWritten
            // SQLite truncates the file to the pages it uses.
            pagesFree = 0
            return true
        } catch {
            switch journalError(error) {
            case .noSpace: maintenanceState = .postponed
            case .failed(let reason): stopMaintenance(because: reason)
            }
            return false
        }
    }

    private func stopMaintenance(because reason: String) {
        logger.error(
            "journal maintenance failed, and no more changes are accepted; check the disk, and then restart diffabled",
            metadata: ["reason": "\(reason)"])
        maintenanceState = .failed(reason: reason)
    }

    private func maintenanceFailed(_ error: JournalError) {
        switch error {
        case .noSpace:
            maintenanceState = .postponed
            guard case .writing(let checkpoint) = maintenance[0] else { return }
            logger.warning(
                "the disk is too full for a checkpoint of a list, so its journal keeps growing; free some space",
                metadata: ["list": "\(checkpoint.state.name)", "bytes": "\(checkpoint.length)"])
            abandon(checkpoint)
        case .failed(let reason):
            stopMaintenance(because: reason)
        }
    }

    private func abandon(_ checkpoint: Checkpoint) {
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

// MARK: - Slices

extension SQLiteJournal {
    private func beginCheckpoint(of number: Int) throws {
        guard let list = lists[number], let base = list.base else {
            lists[number]?.checkpointing = .none
            maintenance.removeFirst()
            return
        }
        let checkpoint = Checkpoint(of: list, base, partLengthMax: limits.checkpointPartLengthMax)
        maintenance[0] = .writing(checkpoint)
        try writePart(of: checkpoint)
    }

    private func writePart(of checkpoint: Checkpoint) throws {
        var checkpoint = checkpoint
        // If the list was deleted in the meantime, its retirement follows in the queue.
        guard let list = lists[checkpoint.state.number] else {
            maintenance.removeFirst()
            return
        }
        var part = ByteWriter()
        part.reserve(limits.checkpointPartLengthMax)
        checkpoint.parts.writeNext(into: &part)
        let partChecksum = part.withUnsafeBytes { checksum($0) }
        checkpoint.checksum.add(partChecksum)
        try reserveRoom(forLength: part.count)
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

    private func retire(_ retirement: RowDeletion) throws {
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
                if retirement.isOfEverything { try SchemasRow.deleteAll(ofList: retirement.list, from: database) }
                if retirement.isOfEverything,
                    try !deleteResults(of: retirement.list, before: .max, from: database)
                {
                    deleted += 1
                }
            }
        }
        if deleted == 0 { maintenance.removeFirst() }
    }

    private func retireRequests(of list: Int, before oldestKept: Int) throws {
        var isDone = false
        try writing { database in
            try database.inJournalTransaction(isOneStatement: true) {
                isDone = try deleteResults(of: list, before: oldestKept, from: database)
            }
        }
        if isDone { maintenance.removeFirst() }
    }
}
