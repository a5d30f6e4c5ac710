import Foundation
import GRDB
import Logging

// Maintenance runs in slices between commit groups.

extension SQLiteJournal {
    func scheduleMaintenance() {
        guard case .idle = maintenanceState, !maintenance.isEmpty || isLogLong else { return }
        maintenanceState = .scheduled
        executor.execute { self.assumeIsolated { $0.runMaintenance() } }
    }

    /// Does one slice of maintenance. Groups that arrived before it was scheduled are already written. Groups that arrive
    /// during it are written before the next slice.
    private func runMaintenance() {
        guard case .scheduled = maintenanceState else { return }
        maintenanceState = .idle
        if isLogLong {
            _ = moveLogIntoDatabase()
            return scheduleMaintenance()
        }
        do throws(JournalError) {
            do throws(JournalError) { try runMaintenanceSlice() } catch {
                // A full disk is handled as for a commit group. Moving the log frees the space of deletions.
                guard error == .noSpace, moveLogIntoDatabase() else { throw error }
                try runMaintenanceSlice()
            }
        } catch {
            // Moving the log may have failed for a worse reason.
            if case .failed = maintenanceState { return }
            handleMaintenanceFailure(error)
        }
        scheduleMaintenance()
    }

    private func runMaintenanceSlice() throws(JournalError) {
        errno = 0
        do {
            switch maintenance[0] {
            case .checkpoint(let number): try beginCheckpoint(of: number)
            case .writing(let checkpoint): try writePart(of: checkpoint)
            case .rowDeletion(let deletion): try deleteRows(deletion)
            case .requests(let list, let oldestKept): try deleteRequests(of: list, before: oldestKept)
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
    func moveLogIntoDatabase(_ kind: Database.CheckpointMode = .passive) -> Bool {
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

    private func handleMaintenanceFailure(_ error: JournalError) {
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
}

// MARK: - Deleting rows

extension SQLiteJournal {
    /// The maximum number of journal rows that one slice deletes, and of parts of old checkpoints.
    private static let rowsDeletedMax = 256
    private static let partsDeletedMax = 4

    private func deleteRows(_ deletion: RowDeletion) throws {
        var deleted = 0
        try writing { database in
            try database.inJournalTransaction {
                try database.cachedStatement(
                    sql: """
                        DELETE FROM journal WHERE (list, revision, part) IN (
                            SELECT list, revision, part FROM journal WHERE list = ? AND revision <= ? LIMIT ?)
                        """
                ).execute(arguments: [deletion.list, deletion.revisionMax, SQLiteJournal.rowsDeletedMax])
                deleted += database.changesCount
                try database.cachedStatement(
                    sql: """
                        DELETE FROM checkpoint WHERE (list, generation, part) IN (
                            SELECT list, generation, part FROM checkpoint WHERE list = ? AND generation <> ? LIMIT ?)
                        """
                ).execute(arguments: [deletion.list, deletion.generationKept, SQLiteJournal.partsDeletedMax])
                deleted += database.changesCount
                if deletion.isOfEverything { try SchemasRow.deleteAll(ofList: deletion.list, from: database) }
                if deletion.isOfEverything,
                    try !deleteResults(of: deletion.list, before: .max, from: database)
                {
                    deleted += 1
                }
            }
        }
        if deleted == 0 { maintenance.removeFirst() }
    }

    private func deleteRequests(of list: Int, before oldestKept: Int) throws {
        var isDone = false
        try writing { database in
            try database.inJournalTransaction(isOneStatement: true) {
                isDone = try deleteResults(of: list, before: oldestKept, from: database)
            }
        }
        if isDone { maintenance.removeFirst() }
    }
}
