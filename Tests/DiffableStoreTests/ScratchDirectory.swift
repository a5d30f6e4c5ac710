import Diffable
import Foundation
import GRDB
import Logging

@testable import DiffableStore

/// A directory of a test's own, gone with the last who holds it.
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

    /// What a crash at this moment would leave, as another directory.
    func copied() throws -> ScratchDirectory {
        let copy = try backedUp()
        // A copy of the witness is worth nothing; what a crash leaves is no copy.
        if case .success(let record) = Witness.read(in: path) { try Witness(in: copy.path).write(record) }
        return copy
    }

    /// A copy as anybody would make it.
    func backedUp() throws -> ScratchDirectory {
        let copy = ScratchDirectory()
        try FileManager.default.copyItem(atPath: path, toPath: copy.path)
        return copy
    }

    /// Changes the database behind the store's back; nobody may have it open.
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

    /// Returns when all that was asked is on disk, with what that brought about, and nothing is left to be done between
    /// groups.
    nonisolated func settleOnDisk() async {
        repeat {
            await withCheckedContinuation { continuation in
                later { $0.answer(whenSettled: { continuation.resume() }) }
            }
            // What was answered may bring about more.
            await settle()
        } while await statistics.pendingTransactions > 0
        await sqlite.finishUpkeep()
    }
}

extension SQLiteJournal {
    /// Reads or sets something between two transactions of the journal.
    func query(_ sql: String) throws -> Int {
        try database.writeWithoutTransaction { try Int.fetchOne($0, sql: sql) ?? 0 }
    }

    /// What is known of the list, where there is one.
    func firstList(_ figure: KeyPath<JournalledList, Int>) -> Int? { lists.values.first?[keyPath: figure] }

    /// What a crash between two transactions would leave, and the lists that must come back from it.
    func crash(in directory: ScratchDirectory) throws -> (left: ScratchDirectory, lists: [ListState]) {
        let states = lists.values.filter { $0.deletion == nil }.map(\.state)
        return (try directory.copied(), states.sorted { $0.name < $1.name })
    }

    /// Returns when nothing is left to be done between groups.
    func finishUpkeep() async {
        while !upkeep.isEmpty, case .scheduled = upkeepState { await Task.yield() }
    }
}

/// What must be the same after a start as it was before.
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
