import Diffable
import Foundation
import GRDB
import Logging

extension SQLiteJournal {
    /// Restores every list from its checkpoint and the journal since then. The lists get new epochs unless the witness
    /// proves that nothing is lost. Nothing on disk changes before `beginWriting`.
    func recover(onProgress: @escaping (Int) -> Void = { _ in }) throws(StoreOpeningError) -> RecoveredLists {
        try directory.translatingOpeningErrors {
            // One transaction: otherwise each statement would be its own and lock the file separately.
            try database.read { try recover(from: $0, onProgress) }
        }
    }

    private func recover(from database: Database, _ onProgress: @escaping (Int) -> Void) throws -> RecoveredLists {
        if let fault = try database.structuralFault() {
            throw StoreOpeningError.unreadable(
                path: directory.databasePath, reason: "its pages are damaged (\(fault))")
        }
        let headings = try headings(in: database)
        let progress = RecoveryProgress(lengthInAll: try lengthInUse(database), onProgress)
        let rows = try OrderedRows(in: database, path: directory.databasePath, onRead: progress.advance)
        var restored = try restore(headings, from: rows, database)
        progress.finish()
        let shares = restored.lists.map(\.list.share)
        verdict = witnessVerdict(about: shares)
        if verdict != .proven { restored.beginEpochs() }
        clock = clock.continuing(from: try lastRunningTime(restored.lists.map(\.lastChange), in: database))
        var recovered = RecoveredLists()
        for list in restored.inOrderOfChanges { try adopt(list, into: &recovered, database) }
        historyBudget.keep(within: limits.history.lengthInAllMax) { list, excess, cut in
            list.shorten(to: list.cost - excess, cut)
            recovered.histories[list.state.number]?.shorten(to: list.cost, cut)
            return list.cost
        }
        recovered.nextListNumber = try nextListNumber(database)
        try deleteLeftovers(rows, headings, database)
        for list in lists.values { considerCheckpoint(of: list) }
        recovered.requestWindows = try recoverRequests(upTo: shares, from: database, now: clock.running)
        recovered.leases = try recoverLeases(from: database)
        return recovered
    }

    /// Restores lists and their histories. `headings` are ordered by number.
    private func restore(
        _ headings: [ListHeading], from rows: OrderedRows, _ database: Database
    ) throws -> RecoveryBuffer {
        let requests = try RequestRow.lasts(in: database)
        let schemas = try SchemasRow.checksums(in: database)
        // The clock continues from the newest recorded time. After a clean stop that is exact; otherwise the time after
        // the last change is lost.
        let times = headings.map(\.deletion?.moment.running) + requests.values.map(\.time)
        let now = clock.continuing(from: try lastRunningTime(times, in: database)).running
        var restored = RecoveryBuffer(limits: limits.history)
        func append(_ lists: [RecoveredList]) {
            for var list in lists {
                let request = requests[list.heading.number]
                list.list.lastResult = request?.number ?? 0
                list.list.schemas = schemas[list.heading.number] ?? 0
                let times = [list.lastChange, request?.time, list.heading.deletion?.moment.running]
                list.lastChange = times.compactMap(\.self).max()
                restored.append(list)
            }
        }
        var recoveries = ListRecoveries()
        for heading in headings {
            let recovery = try ListRecovery(heading, path: directory.databasePath, limits: limits.history, now: now)
            try recoveries.begin(recovery, from: rows)
            while let lists = try recoveries.nextDone() { append(lists) }
        }
        try rows.finish()
        while let lists = try recoveries.next() { append(lists) }
        return restored
    }

    /// Adopts a restored list. Called in the order of their last changes, most recent last.
    private func adopt(
        _ restored: RecoveredList, into recovered: inout RecoveredLists, _ database: Database
    ) throws {
        let (heading, list) = (restored.heading, restored.list)
        var history = restored.history
        list.trim(limits.history, now: clock.running)
        history.trim(limits.history, now: clock.running)
        lists[heading.number] = list
        let schemas = list.schemas == 0 ? nil : try recoverSchemas(of: heading, from: database)
        if let deletion = heading.deletion {
            var deleted = DeletedList(
                state: list.state, deletion: deletion, access: heading.access, schemas: schemas, history: history)
            deleted.history.shorten(to: limits.history.deletedLengthMax - deleted.lengthWithoutPast, .newest)
            list.dropStates()
            return recovered.deleted.append(deleted.packed())
        }
        recovered.states.append(list.state)
        recovered.histories[heading.number] = history
        recovered.access[heading.number] = heading.access
        recovered.schemas[heading.number] = schemas
        if list.cost > 0 { historyBudget.noteChange(of: list, cost: list.cost, newest: list.newestCost) }
    }

    /// An upper bound of the length of all rows, in bytes.
    private func lengthInUse(_ database: Database) throws -> Int {
        func number(_ name: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
        return try (number("page_count") - number("freelist_count")) * number("page_size")
    }

    /// Starts the maintenance that the previous daemon left unfinished.
    func startMaintenance() {
        considerVacuum()
        scheduleMaintenance()
        awaitIdleness()
    }

    /// Ordered by number, like the rows of the tables.
    private func headings(in database: Database) throws -> [ListHeading] {
        func damaged(_ heading: ListHeading, _ reason: String) -> StoreOpeningError {
            heading.damaged(
                directory.databasePath, at: heading.checkpointRevision, "its row in the table of lists \(reason)")
        }
        let headings = try ListHeading.all(in: database).map { heading, checksum in
            guard heading.checksum == checksum else { throw damaged(heading, "has a wrong checksum") }
            return heading
        }.sorted { $0.number < $1.number }
        for (one, next) in zip(headings, headings.dropFirst()) where one.number == next.number {
            throw damaged(next, "has the number of another list")
        }
        return headings
    }
}

// MARK: - What a last run left

extension SQLiteJournal {
    /// Schedules the deletion of rows that the previous daemon left.
    private func deleteLeftovers(_ rows: OrderedRows, _ headings: [ListHeading], _ database: Database) throws {
        let others = try Int.fetchAll(
            database,
            sql: """
                SELECT list FROM (SELECT DISTINCT list FROM request UNION SELECT DISTINCT list FROM schemas)
                WHERE list NOT IN (SELECT number FROM list UNION SELECT number FROM deletedList)
                """)
        // If changes are lost, these rows may help to find out why, so they stay.
        if verdict != .lost {
            maintenance += rows.ownerless.union(others).sorted().map { .rowDeletion(.everything(list: $0)) }
        }
        for heading in headings where rows.superseded.contains(heading.number) {
            maintenance.append(
                .rowDeletion(
                    RowDeletion(
                        list: heading.number, revisionMax: heading.checkpointRevision,
                        generationKept: heading.generation)))
        }
    }

    /// The number of the next new list. Exceeds the number in any row, because rows of deleted lists must not become part of it.
    private func nextListNumber(_ database: Database) throws -> Int {
        let sql = """
            SELECT max(
                (SELECT coalesce(max(number), 0) FROM list), (SELECT coalesce(max(number), 0) FROM deletedList),
                (SELECT coalesce(max(list), 0) FROM journal),
                (SELECT coalesce(max(list), 0) FROM checkpoint), (SELECT coalesce(max(list), 0) FROM request),
                (SELECT coalesce(max(list), 0) FROM lease), (SELECT coalesce(max(list), 0) FROM schemas))
            """
        let last = try Int.fetchOne(database, sql: sql) ?? 0
        guard last < Int.boundedMax else {
            throw StoreOpeningError.unreadable(
                path: directory.databasePath, reason: "a row belongs to the list number \(last), which does not exist")
        }
        return last + 1
    }
}
