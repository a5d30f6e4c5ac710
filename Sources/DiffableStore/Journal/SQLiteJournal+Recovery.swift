import Diffable
import DiffableJSON
import Foundation
import GRDB
import Logging

extension SQLiteJournal {
    /// Makes every list's state again from its checkpoint and the journal since. Nothing is changed on disk before
    /// all of them are there.
    func recover(onProgress: @escaping (Int) -> Void = { _ in }) throws(StoreOpeningError) -> RecoveredLists {
        do {
            return try database.writeWithoutTransaction { database in
                let headings = try Heading.all(in: database)
                var progress = RecoveryProgress(lengthInAll: try storedLength(database), onProgress)
                for heading in headings { lists[heading.number] = try recover(heading, from: database, &progress) }
                try retireLeftovers(headings, database)
                for heading in headings { considerCheckpoint(of: heading.number) }
                let states = headings.compactMap { lists[$0.number]?.state }
                return RecoveredLists(
                    states: states, nextListNumber: try nextListNumber(database),
                    requestWindows: try recoverRequests(from: database))
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

    /// Of all that is to be read, in bytes.
    private func storedLength(_ database: Database) throws -> Int {
        let sql = """
            SELECT coalesce(sum(
                (SELECT coalesce(sum(length(elements)), 0) FROM checkpoint
                    WHERE list = number AND checkpoint.generation = kept.generation)
                + (SELECT coalesce(sum(length(operations)), 0) FROM journal
                    WHERE list = number AND revision > checkpointRevision)), 0)
            FROM list AS kept
            """
        return try Int.fetchOne(database, sql: sql) ?? 0
    }

    /// A row of the table `list`.
    private struct Heading {
        let number: Int
        let name: String
        let epoch: String
        let generation: Int
        let checkpointRevision: Int
        let lastReloadRevision: Int

        static func all(in database: Database) throws -> [Heading] {
            let sql = """
                SELECT number, name, epoch, generation, checkpointRevision, lastReloadRevision FROM list ORDER BY number
                """
            return try Row.fetchAll(database, sql: sql).map { row in
                Heading(
                    number: row[0], name: row[1], epoch: row[2], generation: row[3], checkpointRevision: row[4],
                    lastReloadRevision: row[5])
            }
        }
    }
}

// MARK: - One list

extension SQLiteJournal {
    private func recover(
        _ heading: Heading, from database: Database, _ progress: inout RecoveryProgress
    ) throws -> JournalledList {
        let name: ListName
        do { name = try ListName(heading.name) } catch {
            throw damaged(heading, at: heading.checkpointRevision, "its name \(error)")
        }
        var list = JournalledList(
            state: ListState(
                name: name, epoch: heading.epoch, revision: heading.checkpointRevision, durability: .durable,
                number: heading.number, lastReloadRevision: heading.lastReloadRevision))
        list.generation = heading.generation
        try readCheckpoint(of: heading, from: database, into: &list, &progress)
        try readJournal(of: heading, from: database, into: &list, &progress)
        return list
    }

    private func readCheckpoint(
        of heading: Heading, from database: Database, into list: inout JournalledList,
        _ progress: inout RecoveryProgress
    ) throws {
        let sql = "SELECT part, checksum, elements FROM checkpoint WHERE list = ? AND generation = ? ORDER BY part"
        let rows = try Row.fetchCursor(database, sql: sql, arguments: [heading.number, heading.generation])
        var builder = SnapshotBuilder()
        var parts = 0
        while let row = try rows.next() {
            guard row[0] == parts else {
                throw damaged(heading, at: heading.checkpointRevision, "part \(parts) of its checkpoint is missing")
            }
            let length = try row.withUnsafeData(atIndex: 2) { blob in
                try (blob ?? Data()).withUnsafeBytes { bytes in
                    do throws(CheckpointPartError) {
                        guard checksum(bytes) == row[1] else { throw .altered }
                        try builder.append(part: bytes)
                    } catch {
                        throw damaged(heading, at: heading.checkpointRevision, "\(error)")
                    }
                    return bytes.count
                }
            }
            list.checkpointLength += length
            progress.advance(by: length)
            parts += 1
        }
        guard parts > 0 || heading.generation == 0 else {
            throw damaged(heading, at: heading.checkpointRevision, "its checkpoint is missing")
        }
        do throws(OperationError) {
            list.state = list.state.moved(to: heading.checkpointRevision, try builder.finished())
        } catch {
            throw damaged(heading, at: heading.checkpointRevision, "\(error)")
        }
    }

    private func readJournal(
        of heading: Heading, from database: Database, into list: inout JournalledList,
        _ progress: inout RecoveryProgress
    ) throws {
        let sql = """
            SELECT revision, part, operations FROM journal WHERE list = ? AND revision > ? ORDER BY revision, part
            """
        let rows = try Row.fetchCursor(database, sql: sql, arguments: [heading.number, heading.checkpointRevision])
        // Its own, so that each step changes it in place.
        var snapshot = list.state.snapshot
        list.state = list.state.moved(to: list.state.revision, Snapshot())
        var revision = heading.checkpointRevision
        var part = 0
        while let row = try rows.next() {
            let isContinuation = row[0] == revision && row[1] == part + 1
            let isNext = row[0] == revision + 1 && row[1] == 0
            guard isContinuation || isNext else {
                throw damaged(heading, at: revision + 1, "its journal goes on at revision \(row[0] as Int)")
            }
            part = row[1]
            try row.withUnsafeData(atIndex: 2) { blob in
                try (blob ?? Data()).withUnsafeBytes { bytes in
                    var rest = bytes[...]
                    while true {
                        let end = rest.firstIndex(of: JournalRows.separator) ?? rest.endIndex
                        if part == 0 { revision += 1 }
                        let step = UnsafeRawBufferPointer(rebasing: rest[..<end])
                        try apply(step, to: &snapshot, at: revision, heading)
                        guard end < rest.endIndex else { break }
                        rest = rest[(end + 1)...]
                    }
                    list.journalLength += bytes.count
                    progress.advance(by: bytes.count)
                }
            }
        }
        list.journalSteps = revision - heading.checkpointRevision
        list.state = list.state.moved(to: revision, snapshot)
        guard list.state.lastReloadRevision <= list.state.revision else {
            throw damaged(heading, at: list.state.revision + 1, "its journal ends too early")
        }
    }

    private func apply(
        _ step: UnsafeRawBufferPointer, to snapshot: inout Snapshot, at revision: Int, _ heading: Heading
    ) throws {
        do {
            let operations = try [Diffable.Operation](json: step, limits: .journal)
            try snapshot.apply(operations, limits: .none)
        } catch {
            throw damaged(heading, at: revision, "\(error)")
        }
    }

    private func damaged(_ heading: Heading, at revision: Int, _ reason: String) -> StoreOpeningError {
        .damaged(path: directory.databasePath, list: heading.name, revision: revision, reason: reason)
    }
}

// MARK: - What a last run left

extension SQLiteJournal {
    private func retireLeftovers(_ headings: [Heading], _ database: Database) throws {
        let numbers = try Int.fetchAll(
            database,
            sql: """
                SELECT list FROM (SELECT DISTINCT list FROM journal UNION SELECT DISTINCT list FROM checkpoint
                    UNION SELECT DISTINCT list FROM request)
                WHERE list NOT IN (SELECT number FROM list)
                """)
        upkeep += numbers.map { .retirement(.everything(list: $0)) }
        let superseded = try Set(
            Int.fetchAll(
                database,
                sql: """
                    SELECT number FROM list AS kept
                    WHERE EXISTS (SELECT * FROM journal WHERE list = number AND revision <= checkpointRevision)
                        OR EXISTS (SELECT * FROM checkpoint WHERE list = number AND generation <> kept.generation)
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
