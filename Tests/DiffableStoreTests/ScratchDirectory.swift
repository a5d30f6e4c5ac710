import Diffable
import Foundation
import GRDB
import Logging

@testable import DiffableStore

/// A temporary directory that is deleted with its last reference.
final class ScratchDirectory: Sendable {
    let path = NSTemporaryDirectory() + "diffabled-store-tests-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var databasePath: String { path + "/lists.sqlite" }

    func open(
        limits: StoreLimits = StoreLimits(), logger: Logger = .silent, clock: StoreClock = .system
    ) async throws -> Store {
        try await Store.open(
            directory: path, executor: DispatchQueueExecutor(label: "test.store"), limits: limits, logger: logger,
            clock: clock, onFailure: { _ in })
    }

    /// Returns a directory with the files that a crash would leave now.
    func copied() throws -> ScratchDirectory {
        let copy = try backedUp()
        // A copied witness is invalid, so it is rewritten: a crash does not copy files.
        if case .success(let record) = Witness.read(in: path) { try Witness(in: copy.path).write(record) }
        return copy
    }

    /// Returns an ordinary copy.
    func backedUp() throws -> ScratchDirectory {
        let copy = ScratchDirectory()
        try FileManager.default.copyItem(atPath: path, toPath: copy.path)
        return copy
    }

    /// Changes the database without the store, which must not have it open.
    func edit(_ sql: String) throws {
        try DatabaseQueue(path: databasePath).write { try $0.execute(sql: sql) }
    }
}

extension HistoryLimits {
    static let none = HistoryLimits(lengthMax: 0, deletedLengthMax: 0)
}

extension Store {
    nonisolated var sqlite: SQLiteJournal {
        guard let journal = journal as? SQLiteJournal else { preconditionFailure("the store is on SQLite") }
        return journal
    }

    /// Returns when all requests and their follow-ups are on disk and no maintenance is left.
    nonisolated func settleOnDisk() async {
        repeat {
            await withCheckedContinuation { continuation in
                later { $0.answer(whenSettled: { continuation.resume() }) }
            }
            // Answered requests may cause further work.
            await settle()
        } while await statistics.pendingTransactions > 0
        await sqlite.finishMaintenance()
    }
}

extension SQLiteJournal {
    /// Runs a statement between two transactions of the journal.
    func query(_ sql: String) throws -> Int {
        try database.writeWithoutTransaction { try Int.fetchOne($0, sql: sql) ?? 0 }
    }

    /// Returns a figure of the first list, or nil without a list.
    func firstList(_ figure: KeyPath<JournalledList, Int>) -> Int? { lists.values.first?[keyPath: figure] }

    /// Returns the files that a crash between two transactions would leave, and the lists expected from them.
    func crash(in directory: ScratchDirectory) throws -> (left: ScratchDirectory, lists: [ListState]) {
        let states = lists.values.filter { $0.deletion == nil }.map(\.state)
        return (try directory.copied(), states.sorted { $0.name < $1.name })
    }

    /// Returns when no maintenance is left.
    func finishMaintenance() async {
        while !maintenance.isEmpty, case .scheduled = maintenanceState { await Task.yield() }
    }
}

/// The state that a restart has to keep.
struct Remembered: Equatable {
    let name: String
    let epoch: String
    let revision: Int
    let lastReloadRevision: Int
    let snapshot: Snapshot

    init(_ state: ListState) {
        name = state.name.description
        epoch = state.epoch
        revision = state.revision
        lastReloadRevision = state.lastReloadRevision
        snapshot = state.snapshot
    }
}
