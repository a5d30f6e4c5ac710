import Diffable
import DiffableJSON
import Foundation
import GRDB
import Logging

extension SQLiteJournal {
    /// Makes every list's state again from its checkpoint and the journal since. Nothing is changed on disk before
    /// all of them are there.
    func recover() throws(StoreOpeningError) -> RecoveredLists {
        do {
            return try database.writeWithoutTransaction { database in
                let headings = try Heading.all(in: database)
                for heading in headings { lists[heading.number] = try recover(heading, from: database) }
                try retireLeftovers(headings, database)
                for heading in headings { considerCheckpoint(of: heading.number) }
                let states = headings.compactMap { lists[$0.number]?.state }
                return RecoveredLists(states: states, nextListNumber: try nextListNumber(database))
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
    func startUpkeep() { scheduleUpkeep() }

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
    private func recover(_ heading: Heading, from database: Database) throws -> JournalledList {
        let name: ListName
        do { name = try ListName(heading.name) } catch {
            throw damaged(heading, at: heading.checkpointRevision, "its name \(error)")
        }
        var list = JournalledList(
            state: ListState(
                name: name, epoch: heading.epoch, revision: heading.checkpointRevision, durability: .durable,
                number: heading.number, lastReloadRevision: heading.lastReloadRevision))
        list.generation = heading.generation
        try readCheckpoint(of: heading, from: database, into: &list)
        try readJournal(of: heading, from: database, into: &list)
        return list
    }

    private func readCheckpoint(of heading: Heading, from database: Database, into list: inout JournalledList) throws {
        let sql = "SELECT part, operations FROM checkpoint WHERE list = ? AND generation = ? ORDER BY part"
        let rows = try Row.fetchCursor(database, sql: sql, arguments: [heading.number, heading.generation])
        var parts = 0
        while let row = try rows.next() {
            guard row[0] == parts else {
                throw damaged(heading, at: heading.checkpointRevision, "part \(parts) of its checkpoint is missing")
            }
            list.checkpointLength += try apply(row, column: 1, to: &list, at: heading.checkpointRevision, heading)
            parts += 1
        }
        guard parts > 0 || heading.generation == 0 else {
            throw damaged(heading, at: heading.checkpointRevision, "its checkpoint is missing")
        }
    }

    private func readJournal(of heading: Heading, from database: Database, into list: inout JournalledList) throws {
        let sql = """
            SELECT revision, part, operations FROM journal WHERE list = ? AND revision > ? ORDER BY revision, part
            """
        let rows = try Row.fetchCursor(database, sql: sql, arguments: [heading.number, heading.checkpointRevision])
        var part = 0
        while let row = try rows.next() {
            let revision: Int = row[0]
            let isContinuation = revision == list.state.revision && row[1] == part + 1
            let isNext = revision == list.state.revision + 1 && row[1] == 0
            guard isContinuation || isNext else {
                throw damaged(heading, at: list.state.revision + 1, "its journal goes on at revision \(revision)")
            }
            part = row[1]
            list.journalLength += try apply(row, column: 2, to: &list, at: revision, heading)
        }
        guard list.state.lastReloadRevision <= list.state.revision else {
            throw damaged(heading, at: list.state.revision + 1, "its journal ends too early")
        }
    }

    /// Applies a row's operations and returns their length in bytes.
    private func apply(
        _ row: Row, column: Int, to list: inout JournalledList, at revision: Int, _ heading: Heading
    ) throws -> Int {
        // What was once stored is taken whatever the limits are now: lowering one must not lose a list.
        let limits = SnapshotLimits(levelsMax: .max, itemsMax: .max)
        return try row.withUnsafeData(atIndex: column) { blob in
            let blob = blob ?? Data()
            do {
                let operations = try blob.withUnsafeBytes { try [Diffable.Operation](json: $0, limits: .journal) }
                list.state = list.state.moved(
                    to: revision, try list.state.snapshot.applying(operations, limits: limits))
            } catch {
                throw damaged(heading, at: revision, "\(error)")
            }
            return blob.count
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
                SELECT list FROM (SELECT DISTINCT list FROM journal UNION SELECT DISTINCT list FROM checkpoint)
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
                (SELECT coalesce(max(list), 0) FROM checkpoint))
            """
        return try Int.fetchOne(database, sql: sql).map { $0 + 1 } ?? 1
    }
}
