// The journal on SQLite: one connection, used on one thread. A group of changes is one transaction, with one sync.
// Between groups the thread does upkeep, one short slice at a time (`SQLiteJournal+Upkeep.swift`): it writes
// checkpoints, and deletes what they made superfluous. What is read at the start is `SQLiteJournal+Recovery.swift`.

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
    /// The time of day, for history.
    let now: @Sendable () -> Timestamp

    /// What all durable lists are, on disk.
    var digest = ListsDigest()
    /// Nil before `takeOver`.
    var witness: Witness?
    /// What the witness said when it was read at the start.
    var finding = Finding.proven
    let boot = Testimony.currentBoot

    /// By number: the durable lists as they are on disk.
    var lists: [Int: JournalledList] = [:]
    /// What is to be done between groups, in order. A retirement that comes before a checkpoint of the same list must
    /// be done before it, or it would take the new parts for old ones.
    var upkeep: [Upkeep] = []
    var upkeepState = UpkeepState.idle
    var groupsWritten = 0
    /// How many pages have been written to SQLite's log since the database was opened, and how many when they were last
    /// moved into the database.
    var pagesWritten = 0
    var pagesMoved = 0
    /// Whether somebody will look if groups have come meanwhile.
    var isIdlenessAwaited = false

    enum UpkeepState {
        case idle
        /// The next slice waits its turn behind the groups that have arrived.
        case scheduled
        /// The disk was full; upkeep goes on after the next group that was written.
        case postponed
        /// Something is wrong with the disk: the next group is refused.
        case failed(reason: String)
        case closed
    }

    /// Opens the database; `recover` must be called before anything is written.
    init(
        directory: String, limits: StoreLimits, logger: Logger, now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) throws(StoreOpeningError) {
        self.directory = JournalDirectory(path: directory)
        self.limits = limits
        self.logger = logger
        self.now = now
        database = try self.directory.openDatabase(moving: executor.progress)
    }

    /// In bytes: a change that is longer stands in several rows, so that no row comes near SQLite's limit.
    static let rowLengthMax = 4 << 20
    /// In bytes: a row that is longer takes no more transactions of its group.
    static let sharedRowLengthMax = 256 << 10

    package nonisolated func write(
        _ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void
    ) {
        executor.execute {
            #if DEBUG
                if PlantedFault.current == .acknowledgesFirst {
                    completion(.success(changes.map { _ in nil }))
                    usleep(30_000)
                    return self.assumeIsolated { _ = $0.write(changes) }
                }
            #endif
            self.assumeIsolated {
                completion($0.write(changes))
                $0.scheduleUpkeep()
                $0.awaitIdleness()
            }
        }
    }

    package nonisolated var standstill: Duration { executor.progress.standstill() }

    package nonisolated func take(_ limits: StoreLimits) {
        executor.execute { self.assumeIsolated { $0.limits = limits } }
    }

    package nonisolated func close(completion: @escaping @Sendable () -> Void) {
        executor.execute {
            self.assumeIsolated { $0.close() }
            completion()
        }
    }

    private func close() {
        if case .failed = upkeepState {
            // Closing would sync the log again, and that may succeed without the pages that were lost when it failed. So
            // the files are left as they are, and the next start reads them.
            _ = Unmanaged.passRetained(database)
            upkeepState = .closed
            return
        }
        upkeepState = .closed
        do { try database.close() } catch {
            logger.error("the database was not closed", metadata: ["reason": "\(error)"])
            return
        }
        sealWitness()
    }
}

// MARK: - Writing a group

extension SQLiteJournal {
    private func write(_ changes: [ListChange]) -> Result<[[UInt8]?], JournalError> {
        if case .failed(let reason) = upkeepState { return .failure(.failed(reason: reason)) }
        let rows = rows(of: changes)
        let digest = digest(after: changes, rows)
        executor.progress.expectToWrite(rows.length)
        do throws(JournalError) {
            try announce(digest)
            try writeIfThereIsRoom(changes, rows)
            try acknowledge(digest)
        } catch {
            // Nothing more is written or synced: a sync that is tried again may succeed without what it should have kept.
            if case .failed(let reason) = error { upkeepState = .failed(reason: reason) }
            return .failure(error)
        }
        groupsWritten += 1
        if case .postponed = upkeepState { upkeepState = .idle }
        for change in changes { follow(change) }
        var encodings = [[UInt8]?](repeating: nil, count: changes.count)
        for row in rows.rows {
            follow(row)
            encodings[row.change] = row.onlyStep
        }
        return .success(encodings)
    }

    private func writeIfThereIsRoom(_ changes: [ListChange], _ rows: JournalRows) throws(JournalError) {
        do throws(JournalError) {
            try write(changes, rows)
        } catch {
            // The log may have no room to grow, and still room to begin anew: enough to delete something.
            guard error == .noSpace, moveLog() else { throw error }
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
        return changes[0].leases == nil && (changes[0].result == nil || rows.rows.isEmpty)
    }

    private func rows(of changes: [ListChange]) -> JournalRows {
        var rows = JournalRows(
            rowLengthMax: SQLiteJournal.rowLengthMax, sharedLengthMax: SQLiteJournal.sharedRowLengthMax)
        for (index, change) in changes.enumerated() where change.state.durability == .durable {
            if case .stepped(let operations, let delivery) = change.event, let revision = change.revision {
                rows.append(operations, StepNote(revision, delivery), to: change.state, change: index)
            }
        }
        rows.link { lists[$0.number]?.chain ?? Chain(begin: $0) }
        return rows
    }

    /// Writes what is not in a row of the journal.
    private func write(_ change: ListChange, to database: Database) throws {
        let state = change.state
        guard state.durability == .durable else { return }
        switch change.event {
        case .created:
            try ListHeading(begin: state, access: change.access ?? AccessRecord()).insert(into: database)
        case .deleted:
            // Its rows in the other tables are deleted between groups: nothing leads to them any more.
            try database.cachedStatement(sql: "DELETE FROM list WHERE number = ?").execute(arguments: [state.number])
        case .stepped: break
        case .unchanged:
            if let access = change.access, var heading = try ListHeading.of(state.number, in: database) {
                heading.access = access
                try heading.update(in: database)
            }
        }
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

    /// The group is on disk: what is known of its lists moves up.
    private func follow(_ change: ListChange) {
        let number = change.state.number
        guard change.state.durability == .durable else { return }
        switch change.event {
        case .created:
            lists[number] = JournalledList(
                state: change.state, chain: Chain(begin: change.state), access: change.access ?? AccessRecord())
        case .deleted:
            lists[number] = nil
            upkeep.append(.retirement(.everything(list: number)))
        case .stepped: break
        case .unchanged: if let access = change.access { lists[number]?.access = access }
        }
        followResult(of: change)
    }

    private func follow(_ row: JournalRows.Row) {
        // A list that was deleted in the same group has its retirement in the queue.
        guard let list = lists[row.state.number] else { return }
        list.append(row.journalled, part: row.part)
        // The last part of a long step decides whether history keeps it.
        if row.steps > 0 { list.trim(limits.history, now: now()) }
        considerCheckpoint(of: list)
    }
}

extension SQLiteJournal {
    /// What is written to the database goes through here, so that it is known how long SQLite's log is.
    func writing<R>(_ body: (Database) throws -> R) rethrows -> R {
        try database.writeWithoutTransaction { database in
            defer { pagesWritten = database.pagesWritten }
            return try body(database)
        }
    }
}

extension Database {
    /// To the log, since the database was opened.
    fileprivate var pagesWritten: Int {
        var pages: Int32 = 0
        var most: Int32 = 0
        _ = sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &most, 0)
        return Int(pages)
    }

    /// As `inTransaction`, which compiles its statements anew each time. One statement alone is a transaction of its
    /// own.
    func inJournalTransaction(isOneStatement: Bool = false, _ body: () throws -> Void) throws {
        if isOneStatement { return try body() }
        try cachedStatement(sql: "BEGIN IMMEDIATE").execute()
        do {
            try body()
            try cachedStatement(sql: "COMMIT").execute()
        } catch {
            // The first error is the one to tell. SQLite may have rolled back of its own accord.
            try? rollback()
            throw error
        }
    }
}

extension Data {
    /// These bytes without a copy: for an argument of a statement that is executed before they go.
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
    /// What an error of the call to SQLite means that has just ended; `errno` was 0 before it, because SQLite does not
    /// say why a commit could not be written.
    func journalError(_ error: any Error) -> JournalError {
        let systemError = errno
        guard let error = error as? DatabaseError else { return .failed(reason: "\(error)") }
        // A full disk is noticed while frames are appended to the log. The frame that makes a transaction valid is
        // the last of them, so none of it counts, and what was written is written over by the next one.
        if error.resultCode == .SQLITE_FULL { return .noSpace }
        if error.extendedResultCode == .SQLITE_IOERR_WRITE, [EDQUOT, EFBIG].contains(systemError) { return .noSpace }
        return .failed(reason: error.extendedResultCode.description + (error.message.map { ": \($0)" } ?? ""))
    }
}
