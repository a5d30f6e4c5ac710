import Diffable
import Foundation
import GRDB
import Logging

extension SQLiteJournal {
    /// Restores every list's states from its checkpoint and the journal since, in a new epoch unless the witness proves
    /// them. Changes nothing on disk before `takeOver`.
    func recover(onProgress: @escaping (Int) -> Void = { _ in }) throws(StoreOpeningError) -> RecoveredLists {
        try directory.withOpeningErrors {
            try database.writeWithoutTransaction { database in
                try database.readInNewestSchema { try recover(from: database, onProgress) }
            }
        }
    }

    private func recover(from database: Database, _ onProgress: @escaping (Int) -> Void) throws -> RecoveredLists {
        if let fault = try database.structuralFault() {
            throw StoreOpeningError.unreadable(
                path: directory.databasePath, reason: "its pages are not as they were written (\(fault))")
        }
        let headings = try headings(in: database)
        let ends = try headings.map { try $0.end(in: database) }
        let (shares, lastChanges) = (ends.map(\.share), ends.map(\.lastChange))
        verdict = verdict(about: shares)
        let stored = try storedKeys(of: headings, in: database)
        var progress = RecoveryProgress(lengthInAll: stored.lengths.values.reduce(0, +), onProgress)
        var recovered = RecoveredLists()
        clock = clock.going(onFrom: try lastRunningTime(lastChanges, in: database))
        let now = clock.running
        // The list that changed last is restored last, so that pasts never take more than their budget meanwhile.
        let order = headings.indices.sorted { first, second in
            (lastChanges[first]?.milliseconds ?? 0, headings[first].number)
                < (lastChanges[second]?.milliseconds ?? 0, headings[second].number)
        }
        var recoveries = ListRecoveries()
        for index in order {
            let (heading, share) = (headings[index], shares[index])
            // What is missing of a shared list comes from its log again, so a revision of it stands for one state in any case.
            let keepsEpoch = verdict == .proven || heading.access.sharing != nil
            let recovery = try ListRecovery(
                heading, epoch: keepsEpoch ? heading.epoch : Epoch.random(),
                path: directory.databasePath, limits: limits.history, now: now)
            recoveries.begin(
                recovery, index, upTo: share.chain, length: stored.lengths[heading.number] ?? 0, from: database
            ) { progress.advance(by: $0) }
            while let (index, restored) = try recoveries.nextDone() {
                try take(restored, headings[index], shares[index], into: &recovered, database)
            }
        }
        while let (index, restored) = try recoveries.next() {
            try take(restored, headings[index], shares[index], into: &recovered, database)
        }
        recovered.nextListNumber = try nextListNumber(database)
        try retireLeftovers(stored, headings, database)
        for list in lists.values { considerCheckpoint(of: list) }
        recovered.requestWindows = try recoverRequests(upTo: shares, from: database, now: now)
        recovered.leases = try recoverLeases(from: database)
        return recovered
    }

    /// Takes a list that was restored. The one that changed last comes last.
    private func take(
        _ restored: ListRecoveries.Restored, _ heading: ListHeading, _ share: ListsDigest.Share,
        into recovered: inout RecoveredLists, _ database: Database
    ) throws {
        let (list, history) = (restored.list, restored.history)
        list.schemas = share.schemas
        lists[heading.number] = list
        let hasSchemas = share.schemas != SchemasRow.checksum(of: [])
        let schemas = hasSchemas ? try recoverSchemas(of: heading, from: database) : nil
        if let deletion = heading.deletion {
            var deleted = DeletedList(
                state: list.state, deletion: deletion, access: heading.access, schemas: schemas, history: history)
            deleted.history.shorten(to: limits.history.deletedLengthMax - deleted.lengthWithoutPast, .newest)
            return recovered.deleted.append(deleted)
        }
        recovered.states.append(list.state)
        recovered.histories[heading.number] = history
        recovered.access[heading.number] = heading.access
        recovered.schemas[heading.number] = schemas
        if list.cost > 0 { pastBudget.noteChange(of: list, cost: list.cost, newest: list.newestCost) }
        pastBudget.keep(within: limits.history.lengthInAllMax) { list, excess, cut in
            list.shorten(to: list.cost - excess, cut)
            recovered.histories[list.state.number]?.shorten(to: list.cost, cut)
            return list.cost
        }
    }

    /// Begins the upkeep that the last daemon left over.
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

    /// What the tables of checkpoints and of journals have, by the keys of their rows.
    private struct StoredKeys {
        /// The lengths of all that is to be read of the lists, in bytes, by their numbers.
        var lengths: [Int: Int] = [:]
        /// Lists with rows that nothing refers to any more.
        var superseded: Set<Int> = []
        /// Numbers in rows of which there is no list.
        var ownerless: Set<Int> = []
    }

    /// This reads the keys of all rows, also of superfluous ones, and reports keys that are out of order: SQLite would
    /// search and insert in the wrong place behind one.
    private func storedKeys(of headings: [ListHeading], in database: Database) throws -> StoredKeys {
        let headings = Dictionary(headings.map { ($0.number, $0) }) { first, _ in first }
        var stored = StoredKeys()
        try add(
            "SELECT list, generation, part, length(elements) FROM checkpoint", of: headings, in: database, to: &stored
        ) { $0.generation == $1 }
        try add(
            "SELECT list, revision, part, length(notes) + length(operations) FROM journal", of: headings, in: database,
            to: &stored
        ) { $0.checkpointRevision < $1 }
        return stored
    }

    /// Adds rows, of which those count that are so by the second number of their key.
    private func add(
        _ sql: String, of headings: [Int: ListHeading], in database: Database, to stored: inout StoredKeys,
        where counts: (ListHeading, Int) -> Bool
    ) throws {
        let rows = try Row.fetchCursor(database, sql: sql)
        var last = (Int.min, Int.min, Int.min)
        while let row = try rows.next() {
            let key = (
                try row.decode(Int.self, atIndex: 0), try row.decode(Int.self, atIndex: 1),
                try row.decode(Int.self, atIndex: 2)
            )
            guard last < key else {
                throw StoreOpeningError.unreadable(
                    path: directory.databasePath, reason: "rows of the list number \(last.0) are out of order")
            }
            last = key
            guard let heading = headings[key.0] else {
                stored.ownerless.insert(key.0)
                continue
            }
            if counts(heading, key.1) {
                stored.lengths[key.0, default: 0] += try row.decode(Int.self, atIndex: 3)
            } else {
                stored.superseded.insert(key.0)
            }
        }
    }
}

// MARK: - What a last run left

extension SQLiteJournal {
    /// Schedules the deletion of rows that the last daemon left.
    private func retireLeftovers(_ stored: StoredKeys, _ headings: [ListHeading], _ database: Database) throws {
        let others = try Int.fetchAll(
            database,
            sql: """
                SELECT list FROM (SELECT DISTINCT list FROM request UNION SELECT DISTINCT list FROM schemas)
                WHERE list NOT IN (SELECT number FROM list UNION SELECT number FROM deletedList)
                """)
        // When changes are lost, these rows may be needed to find out why, so they stay.
        if verdict != .lost {
            upkeep += stored.ownerless.union(others).sorted().map { .retirement(.everything(list: $0)) }
        }
        for heading in headings where stored.superseded.contains(heading.number) {
            upkeep.append(
                .retirement(
                    Retirement(
                        list: heading.number, revisionMax: heading.checkpointRevision,
                        generationKept: heading.generation)))
        }
    }

    /// The number for the next new list. Rows of a deleted list may still be there, and must not become a new one's.
    private func nextListNumber(_ database: Database) throws -> Int {
        let sql = """
            SELECT max(
                (SELECT coalesce(max(number), 0) FROM list), (SELECT coalesce(max(number), 0) FROM deletedList),
                (SELECT coalesce(max(list), 0) FROM journal),
                (SELECT coalesce(max(list), 0) FROM checkpoint), (SELECT coalesce(max(list), 0) FROM request),
                (SELECT coalesce(max(list), 0) FROM lease), (SELECT coalesce(max(list), 0) FROM schemas))
            """
        return try Int.fetchOne(database, sql: sql).map { $0 + 1 } ?? 1
    }
}
