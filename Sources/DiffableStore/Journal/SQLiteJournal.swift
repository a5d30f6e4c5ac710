// The journal on SQLite: one connection, used on one thread. A group of changes is one transaction, with one sync.
// Between groups the thread does upkeep, one short slice at a time (`SQLiteJournal+Upkeep.swift`): it writes
// checkpoints, and deletes what they made superfluous. What is read at the start is `SQLiteJournal+Recovery.swift`.

import Diffable
import DiffableJSON
import Foundation
import GRDB
import Logging

package actor SQLiteJournal: Journal {
    nonisolated let executor = DispatchQueueExecutor(label: "diffabled.journal")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let directory: JournalDirectory
    let database: DatabaseQueue
    let limits: StoreLimits
    let logger: Logger

    /// By number: the durable lists as they are on disk.
    var lists: [Int: JournalledList] = [:]
    /// What is to be done between groups, in order. A retirement that comes before a checkpoint of the same list must
    /// be done before it, or it would take the new parts for old ones.
    var upkeep: [Upkeep] = []
    var upkeepState = UpkeepState.idle

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
    init(directory: String, limits: StoreLimits, logger: Logger) throws(StoreOpeningError) {
        self.directory = JournalDirectory(path: directory)
        self.limits = limits
        self.logger = logger
        database = try self.directory.openDatabase()
    }

    /// In bytes: a change that is longer stands in several rows, so that no row comes near SQLite's limit.
    static let rowLengthMax = 4 << 20

    package nonisolated func write(
        _ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void
    ) {
        executor.execute {
            completion(self.assumeIsolated { $0.write(changes) })
            self.assumeIsolated { $0.scheduleUpkeep() }
        }
    }

    package nonisolated func close(completion: @escaping @Sendable () -> Void) {
        executor.execute {
            self.assumeIsolated { $0.close() }
            completion()
        }
    }

    private func close() {
        upkeepState = .closed
        do { try database.close() } catch {
            logger.error("the database was not closed", metadata: ["reason": "\(error)"])
        }
    }
}

// MARK: - Writing a group

extension SQLiteJournal {
    private func write(_ changes: [ListChange]) -> Result<[[UInt8]?], JournalError> {
        if case .failed(let reason) = upkeepState { return .failure(.failed(reason: reason)) }
        var written: [Written] = []
        written.reserveCapacity(changes.count)
        do {
            try database.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    for change in changes { written.append(try write(change, to: database)) }
                    return .commit
                }
            }
        } catch {
            return .failure(JournalError(error))
        }
        if case .postponed = upkeepState { upkeepState = .idle }
        for (change, written) in zip(changes, written) { follow(change, written) }
        return .success(written.map(\.encoded))
    }

    /// What a change came to on disk.
    private struct Written {
        /// In bytes.
        var length = 0
        var encoded: [UInt8]?
    }

    private func write(_ change: ListChange, to database: Database) throws -> Written {
        let state = change.state
        guard state.durability == .durable else { return Written() }
        switch change.event {
        case .created:
            try database.cachedStatement(sql: "INSERT INTO list VALUES (?, ?, ?, 0, 0, 0)")
                .execute(arguments: [state.number, state.name.description, state.epoch])
            return Written()
        case .deleted:
            // Its rows in the other tables are deleted between groups: nothing leads to them any more.
            try database.cachedStatement(sql: "DELETE FROM list WHERE number = ?").execute(arguments: [state.number])
            return Written()
        case .stepped(let operations, let delivery):
            if delivery == .reload {
                try database.cachedStatement(sql: "UPDATE list SET lastReloadRevision = ? WHERE number = ?")
                    .execute(arguments: [state.revision, state.number])
            }
            return try write(operations, of: state, to: database)
        }
    }

    private func write(
        _ operations: [Diffable.Operation], of state: ListState, to database: Database
    ) throws -> Written {
        let statement = try database.cachedStatement(sql: "INSERT INTO journal VALUES (?, ?, ?, ?)")
        var rows = OperationRows(OperationsWriter(operations), lengthMax: SQLiteJournal.rowLengthMax)
        var written = Written()
        var part = 0
        while let row = rows.next() {
            try statement.execute(arguments: [state.number, state.revision, part, Data(row)])
            written.length += row.count
            written.encoded = part == 0 ? row : nil
            part += 1
        }
        return written
    }

    /// The group is on disk: what is known of its lists moves up.
    private func follow(_ change: ListChange, _ written: Written) {
        let state = change.state
        guard state.durability == .durable else { return }
        switch change.event {
        case .created: lists[state.number] = JournalledList(state: state)
        case .deleted:
            lists[state.number] = nil
            upkeep.append(.retirement(.everything(list: state.number)))
        case .stepped:
            lists[state.number]?.state = state
            lists[state.number]?.journalLength += written.length
            considerCheckpoint(of: state.number)
        }
    }
}

extension JournalError {
    init(_ error: any Error) {
        // A full disk is noticed while frames are appended to the log. The frame that makes a transaction valid is
        // the last of them, so none of it counts, and what was written is written over by the next one.
        if let error = error as? DatabaseError, error.resultCode == .SQLITE_FULL {
            self = .noSpace
        } else {
            self = .failed(reason: "\(error)")
        }
    }
}
