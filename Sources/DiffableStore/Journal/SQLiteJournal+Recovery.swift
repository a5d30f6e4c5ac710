import Diffable
import Foundation
import GRDB
import Logging

extension SQLiteJournal {
    /// Makes every list's states again from its checkpoint and the journal since, in a new epoch if the witness wants
    /// that. Nothing is changed on disk before `takeOver`.
    func recover(onProgress: @escaping (Int) -> Void = { _ in }) throws(StoreOpeningError) -> RecoveredLists {
        do {
            return try database.writeWithoutTransaction { database in
                let headings = try headings(in: database)
                finding = try finding(about: headings, in: database)
                var progress = RecoveryProgress(lengthInAll: try storedLength(database), onProgress)
                var recovered = RecoveredLists()
                let now = now()
                for heading in headings {
                    var recovery = try ListRecovery(
                        heading, epoch: finding == .proven ? heading.epoch : Epoch.random(),
                        path: directory.databasePath, limits: limits.history, now: now)
                    let (list, history) = try recovery.recover(from: database, &progress)
                    lists[heading.number] = list
                    recovered.states.append(list.state)
                    recovered.histories[heading.number] = history
                    recovered.access[heading.number] = heading.access
                }
                recovered.nextListNumber = try nextListNumber(database)
                try retireLeftovers(headings, database)
                for list in lists.values { considerCheckpoint(of: list) }
                recovered.requestWindows = try recoverRequests(from: database, now: now)
                recovered.leases = try recoverLeases(from: database)
                return recovered
            }
        } catch let error as StoreOpeningError {
            throw error
        } catch let error as DatabaseError {
            throw directory.openingError(error)
        } catch {
            throw .unreadable(path: directory.databasePath, reason: "\(error)")
        }
    }

    /// Begins upkeep that a last run left over.
    func startUpkeep() {
        scheduleUpkeep()
        awaitIdleness()
    }

    private func headings(in database: Database) throws -> [ListHeading] {
        try ListHeading.all(in: database).map { heading, checksum in
            guard heading.checksum == checksum else {
                throw heading.damaged(
                    directory.databasePath, at: heading.checkpointRevision,
                    "its row in the table of lists is not what was written")
            }
            return heading
        }
    }

    /// Of all that is to be read, in bytes.
    ///
    /// `CROSS JOIN`, so that SQLite goes through the rows one after the other and does not look them up: to compare its
    /// key, it would read a row to its end. The same in `retireLeftovers`; each was a second reading of everything.
    private func storedLength(_ database: Database) throws -> Int {
        let sql = """
            SELECT
                (SELECT coalesce(sum(length(elements)), 0) FROM checkpoint CROSS JOIN list
                    ON number = list AND list.generation = checkpoint.generation)
                + (SELECT coalesce(sum(length(notes) + length(operations)), 0) FROM journal CROSS JOIN list
                    ON number = list AND revision > checkpointRevision)
            """
        return try Int.fetchOne(database, sql: sql) ?? 0
    }
}

// MARK: - What a last run left

extension SQLiteJournal {
    private func retireLeftovers(_ headings: [ListHeading], _ database: Database) throws {
        let numbers = try Int.fetchAll(
            database,
            sql: """
                SELECT list FROM (SELECT DISTINCT list FROM journal UNION SELECT DISTINCT list FROM checkpoint
                    UNION SELECT DISTINCT list FROM request)
                WHERE list NOT IN (SELECT number FROM list)
                """)
        // Unless changes are lost: then what led to them may be among those.
        if finding != .lost { upkeep += numbers.map { .retirement(.everything(list: $0)) } }
        let superseded = try Set(
            Int.fetchAll(
                database,
                sql: """
                    SELECT number FROM list
                    WHERE EXISTS (SELECT * FROM journal WHERE list = number AND revision <= checkpointRevision)
                    UNION
                    SELECT number FROM checkpoint CROSS JOIN list ON number = list
                    WHERE checkpoint.generation <> list.generation
                    """))
        for heading in headings where superseded.contains(heading.number) {
            upkeep.append(
                .retirement(
                    Retirement(
                        list: heading.number, revisionMax: heading.checkpointRevision,
                        generationKept: heading.generation)))
        }
    }

    /// Rows of a deleted list may still be there, and must not come to a new one.
    private func nextListNumber(_ database: Database) throws -> Int {
        let sql = """
            SELECT max(
                (SELECT coalesce(max(number), 0) FROM list), (SELECT coalesce(max(list), 0) FROM journal),
                (SELECT coalesce(max(list), 0) FROM checkpoint), (SELECT coalesce(max(list), 0) FROM request))
            """
        return try Int.fetchOne(database, sql: sql).map { $0 + 1 } ?? 1
    }
}
