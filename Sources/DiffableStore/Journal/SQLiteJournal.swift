// The journal on SQLite: one connection, used on one thread. A commit group is one transaction with one sync. Between
// groups the thread does maintenance in short slices (`SQLiteJournal+Maintenance.swift`): it writes checkpoints and deletes
// redundant rows. `SQLiteJournal+Recovery.swift` reads the lists at startup.

import Diffable
import DiffableJSON
import Foundation
import GRDB
import GRDBSQLite
import Logging

package actor SQLiteJournal: Journal {
    nonisolated let executor = DispatchQueueExecutor(label: "diffabled.journal")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let directory: JournalDirectory
    let database: DatabaseQueue
    private(set) var limits: StoreLimits
    let logger: Logger
    /// The running time continues from the last known one once `recover` returns.
    var clock: StoreClock

    var digest = ListsDigest()
    /// Nil before `beginWriting`.
    var witness: Witness?
    var verdict = WitnessVerdict.proven
    let boot = WitnessRecord.currentBoot

    /// The durable lists as they are on disk, by number.
    var lists: [Int: JournalledList] = [:]
    var historyBudget = HistoryBudget<JournalledList>()
    /// The number of kept rows in the table `request`.
    var keyCount = 0
    /// Work to do between groups, in order. The order matters: a deletion of rows that was scheduled before a checkpoint of
    /// the same list must run first, or it would delete the new parts as old ones.
    var maintenance: [MaintenanceTask] = []
    var maintenanceState = MaintenanceState.idle
    var groupsWritten = 0
    /// The pages written to SQLite's log since the database was opened, and their number when the log was last moved.
    var pagesWritten = 0
    var pagesMoved = 0
    /// The number of pages that the database can certainly grow by (`SQLiteJournal+FullDisk.swift`).
    var pagesFree = 0
    var isVacuumDue = false
    var isIdlenessAwaited = false

    enum MaintenanceState {
        case idle
        /// The next slice runs after the groups that have arrived.
        case scheduled
        /// The disk was full. Maintenance continues after the next group that is written.
        case postponed
        /// The disk failed. All further groups are refused.
        case failed(reason: String)
        case closed
    }

    /// Opens the database. `recover` has to be called before anything is written.
    init(
        directory: String, limits: StoreLimits, logger: Logger, clock: StoreClock = .system
    ) throws(StoreOpeningError) {
        self.directory = JournalDirectory(path: directory)
        self.limits = limits
        self.logger = logger
        self.clock = clock
        database = try self.directory.openDatabase(moving: executor.progress)
    }

    /// In bytes. A longer change has several rows, so that no row comes near SQLite's limit.
    static let rowLengthMax = 4 << 20
    /// In bytes. A longer row accepts no more transactions of its group.
    static let sharedRowLengthMax = 256 << 10

    package nonisolated func write(
        _ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void
    ) {
        executor.execute {
            self.assumeIsolated {
                completion($0.write(changes))
                $0.scheduleMaintenance()
                $0.awaitIdleness()
            }
        }
    }

    package nonisolated var standstill: Duration { executor.progress.standstill() }

    package nonisolated func apply(_ limits: StoreLimits) {
        executor.execute { self.assumeIsolated { $0.limits = limits } }
    }

    package nonisolated func close(completion: @escaping @Sendable (_ failure: String?) -> Void) {
        executor.execute { completion(self.assumeIsolated { $0.close() }) }
    }

    /// Returns a reason if some changes may not be on disk.
    private func close() -> String? {
        finishWriting()
        if case .failed(let reason) = maintenanceState {
            // Closing would sync the log again, which may succeed without the pages that the failed sync lost. So the
            // files stay open, and the next startup reads them.
            _ = Unmanaged.passRetained(database)
            maintenanceState = .closed
            return reason
        }
        maintenanceState = .closed
        do { try database.close() } catch {
            logger.error("the database could not be closed", metadata: ["reason": "\(error)"])
            return "\(directory.databasePath): \(error)"
        }
        return sealWitness()
    }

    /// Moves the log explicitly, because SQLite does it on close without reporting a failure. A full disk is not a
    /// failure: the log stays, and the next startup reads it.
    private func finishWriting() {
        if case .failed = maintenanceState { return }
        do throws(JournalError) { try keepRunningTime() } catch {
            if case .failed(let reason) = error { return maintenanceState = .failed(reason: reason) }
        }
        _ = moveLogIntoDatabase()
    }
}

// MARK: - Writing a group

extension SQLiteJournal {
    private func write(_ changes: [ListChange]) -> Result<[[UInt8]?], JournalError> {
        if case .failed(let reason) = maintenanceState { return .failure(.failed(reason: reason)) }
        let rows = rows(of: changes)
        let digest = digest(after: changes, rows)
        executor.progress.expectToWrite(rows.length)
        do throws(JournalError) {
            try recordGroupStart(digest)
            try writeIfThereIsRoom(changes, rows)
            try recordGroupEnd(digest)
        } catch {
            // Nothing more is written or synced, because a second sync may succeed without the data that the first one lost.
            if case .failed(let reason) = error { maintenanceState = .failed(reason: reason) }
            return .failure(error)
        }
        groupsWritten += 1
        if case .postponed = maintenanceState { maintenanceState = .idle }
        for change in changes { updateRecords(after: change) }
        var encodings = [[UInt8]?](repeating: nil, count: changes.count)
        for row in rows.rows {
            updateRecords(after: row)
            encodings[row.change] = row.onlyStep
        }
        return .success(encodings)
    }

    private func writeIfThereIsRoom(_ changes: [ListChange], _ rows: JournalRows) throws(JournalError) {
        do throws(JournalError) {
            try reserveDiskSpace(for: changes, rows)
            try write(changes, rows)
        } catch {
            // The log may be unable to grow but able to restart, which is enough for a deletion.
            guard error == .noSpace, moveLogIntoDatabase() else { throw error }
            try reserveDiskSpace(for: changes, rows)
            try write(changes, rows)
        }
    }

    private func write(_ changes: [ListChange], _ rows: JournalRows) throws(JournalError) {
        errno = 0
        do {
            try writing { database in
                try database.inJournalTransaction(isOneStatement: isOneStatement(changes, rows)) {
                    for change in changes { try write(change, to: database) }
                    for row in rows.rows { try write(row, to: database) }
                }
            }
        } catch {
            throw journalError(error)
        }
    }

    private func isOneStatement(_ changes: [ListChange], _ rows: JournalRows) -> Bool {
        guard changes.count == 1, rows.rows.count <= 1 else { return false }
        switch changes[0].event {
        case .deleted, .undeleted, .advanced: return false
        case .created, .stepped, .unchanged, .purged: break
        }
        if changes[0].schemas != nil { return false }
        return changes[0].leases == nil && (changes[0].result == nil || rows.rows.isEmpty)
    }

    private func rows(of changes: [ListChange]) -> JournalRows {
        var rows = JournalRows(
            rowLengthMax: SQLiteJournal.rowLengthMax, sharedLengthMax: SQLiteJournal.sharedRowLengthMax)
        for (index, change) in changes.enumerated() where change.state.durability == .durable {
            guard let revision = change.revision else { continue }
            switch change.event {
            case .stepped(let operations, let delivery):
                rows.append(operations, TransactionNote(revision, delivery), to: change.state, change: index)
            case .advanced(_, let operations):
                rows.append(operations, TransactionNote(revision, .difference), to: change.state, change: index)
            case .created, .unchanged, .deleted, .undeleted, .purged: continue
            }
        }
        rows.link { state in
            if let list = lists[state.number] { return list.chain }
            // The list was created in this group and may have been renamed later in it. Its chain starts with its first name.
            return ChecksumChain(begin: changes.first { $0.state.number == state.number }?.state ?? state)
        }
        return rows
    }

    /// Writes everything about a change except its journal rows.
    private func write(_ change: ListChange, to database: Database) throws {
        let state = change.state
        guard state.durability == .durable else { return }
        switch change.event {
        case .created:
            try ListHeading(begin: state, access: change.access ?? AccessRecord()).insert(into: database)
        case .deleted(let deletion?):
            var heading = try ListHeading.remove(state.number, from: "list", of: database)
            heading?.deletion = deletion
            try heading?.insert(into: database)
        case .undeleted:
            var heading = try ListHeading.remove(state.number, from: "deletedList", of: database)
            heading?.name = state.name.description
            try heading?.insert(into: database)
        case .deleted(nil), .purged:
            // The list's rows in the other tables are no longer referenced, and are deleted between groups.
            let table = if case .purged = change.event { "deletedList" } else { "list" }
            try database.cachedStatement(sql: "DELETE FROM \(table) WHERE number = ?").execute(arguments: [state.number]
            )
        case .advanced(let former, _):
            let access = try ListHeading.remove(former.number, from: "list", of: database)?.access ?? AccessRecord()
            try ListHeading(begin: state.beforeAdvance, access: access).insert(into: database)
        case .stepped: break
        case .unchanged:
            if let access = change.access, var heading = try ListHeading.fetch(state.number, in: database) {
                heading.access = access
                try heading.update(in: database)
            }
        }
        try writeSchemas(of: change, to: database)
        try writeResult(of: change, to: database)
        try writeLeases(of: change, to: database)
    }

    private func write(_ row: JournalRows.Row, to database: Database) throws {
        try row.bytes.withUnsafeBytes { bytes in
            try row.notes.withUnsafeBytes { notes in
                try database.cachedStatement(sql: "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?)")
                    .execute(
                        integers: [Int64(row.state.number), Int64(row.revision), Int64(row.part), row.chain.value],
                        blobs: [notes, bytes])
            }
        }
    }

    /// Updates the in-memory records of the group's lists once it is on disk.
    private func updateRecords(after change: ListChange) {
        let number = change.state.number
        guard change.state.durability == .durable else { return }
        switch change.event {
        case .created:
            lists[number] = JournalledList(
                state: change.state, chain: ChecksumChain(begin: change.state), access: change.access ?? AccessRecord())
        case .deleted(let deletion?):
            if let list = lists[number] {
                list.delete(deletion)
                historyBudget.remove(list)
            }
        case .undeleted:
            if let list = lists[number] {
                list.undelete(as: change.state)
                historyBudget.noteChange(of: list, cost: list.cost, newest: list.newestCost)
                trimHistoriesToBudget()
            }
        case .deleted(nil), .purged:
            if let list = lists.removeValue(forKey: number) {
                historyBudget.remove(list)
                keyCount -= list.numberOfResults
            }
            maintenance.append(.rowDeletion(.everything(list: number)))
        case .advanced(let former, _):
            guard let list = lists.removeValue(forKey: former.number) else { break }
            historyBudget.remove(list)
            keyCount -= list.numberOfResults
            maintenance.append(.rowDeletion(.everything(list: former.number)))
            let before = change.state.beforeAdvance
            lists[number] = JournalledList(state: before, chain: ChecksumChain(begin: before), access: list.access)
        case .stepped: break
        case .unchanged: if let access = change.access { lists[number]?.access = access }
        }
        updateSchemasChecksum(of: change)
        updateResultCounts(of: change)
    }

    private func updateRecords(after row: JournalRows.Row) {
        // If the list was deleted in the same group, the deletion of its rows is in the queue.
        guard let list = lists[row.state.number] else { return }
        list.append(row.journalled, part: row.part) { row.state }
        list.recordState(row.state)
        // The list was deleted in the same group.
        if list.deletion != nil { list.dropStates() }
        // Only the last part of a long transaction triggers trimming.
        if row.steps > 0 {
            list.trim(limits.history, now: clock.running)
            if list.deletion == nil {
                historyBudget.noteChange(of: list, cost: list.cost, newest: list.newestCost)
                trimHistoriesToBudget()
            }
        }
        considerCheckpoint(of: list)
    }

    private func trimHistoriesToBudget() {
        historyBudget.keep(within: limits.history.lengthInAllMax) { list, excess, cut in
            list.shorten(to: list.cost - excess, cut)
            considerCheckpoint(of: list)
            return list.cost
        }
    }
}

extension SQLiteJournal {
    /// Gives access to the database for writing, and counts the pages in SQLite's log. Every write has to use it.
    func writing<R>(_ body: (Database) throws -> R) rethrows -> R {
        try database.writeWithoutTransaction { database in
            defer { pagesWritten = database.pagesWritten }
            return try body(database)
        }
    }
}

extension Database {
    /// The number of pages written to the log since the database was opened.
    fileprivate var pagesWritten: Int {
        var pages: Int32 = 0
        var most: Int32 = 0
        _ = sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &most, 0)
        return Int(pages)
    }

    /// Like `inTransaction`, but with cached statements. A single statement is its own transaction.
    func inJournalTransaction(isOneStatement: Bool = false, _ body: () throws -> Void) throws {
        if isOneStatement { return try body() }
        try cachedStatement(sql: "BEGIN IMMEDIATE").execute()
        do {
            try body()
            try cachedStatement(sql: "COMMIT").execute()
        } catch {
            // Report the first error. SQLite may have rolled back already.
            try? rollback()
            throw error
        }
    }
}

extension Data {
    /// Wraps the bytes without a copy, for a statement that is executed before they are freed.
    init(lending bytes: UnsafeRawBufferPointer) {
        guard let address = bytes.baseAddress else {
            self.init()
            return
        }
        self.init(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: address), count: bytes.count, deallocator: .none)
    }
}

extension SQLiteJournal {
    /// The meaning of an error of the last call to SQLite. `errno` has to be 0 before the call, because SQLite does not
    /// report why a commit could not be written.
    func journalError(_ error: any Error) -> JournalError {
        if let error = error as? JournalError { return error }
        let systemError = errno
        guard let error = error as? DatabaseError else { return .failed(reason: "\(error)") }
        // A full disk is detected while frames are appended to the log. The frame that makes a transaction valid is the
        // last one, so the others do not count, and the next write overwrites them.
        if error.resultCode == .SQLITE_FULL { return .noSpace }
        if error.extendedResultCode == .SQLITE_IOERR_WRITE, [EDQUOT, EFBIG].contains(systemError) { return .noSpace }
        return .failed(reason: error.extendedResultCode.description + (error.message.map { ": \($0)" } ?? ""))
    }
}
