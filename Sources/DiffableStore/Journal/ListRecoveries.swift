import DequeModule
import Dispatch
import Synchronization

/// Restores lists on two threads, and returns them in order.
///
/// One thread reads from SQLite. Reading a list takes less time than building its states, so a second thread gets
/// copies of rows until it has enough work.
///
/// - Short lists are sent in bundles, because waking the thread takes longer than restoring one. When it has enough,
///   the reading thread waits: if both restored short lists, they would contend in the allocator.
/// - Longer lists are restored on both threads.
/// - The rows of a long list are copied up to a maximum length. The reading thread restores it while it reads the rest,
///   and another thread makes the records of its checkpoint (`CheckpointAssembly`).
struct ListRecoveries {
    private var underway: Deque<RecoveryJob> = []
    /// The next work for the second thread.
    private var gathered = QueuedLists()
    private let backlog = Backlog()
    private let queue = DispatchQueue(label: "diffabled.recovery", qos: .userInitiated)

    /// In bytes. A longer list is not copied completely.
    private static let lengthCopiedMax = 1 << 20
    /// In bytes.
    private static let backlogMax = 1 << 20
    /// In bytes. Queued lists of this total length are sent.
    private static let bundleLength = 1 << 16
    private static let lengthShort = 1 << 14

    /// Begins to restore a list.
    /// - Parameter rows: positioned after the rows of the previous list.
    mutating func begin(_ recovery: ListRecovery, from rows: OrderedRows) throws {
        let place = try gathered.rows.append(of: recovery.heading, from: rows, upTo: Self.lengthCopiedMax)
        let isWhole = place.length < Self.lengthCopiedMax
        if place.length < Self.lengthShort || isWhole && backlog.length < Self.backlogMax {
            gathered.lists.append((recovery, place))
            guard gathered.length >= Self.bundleLength else { return }
            sendQueued()
            if place.length < Self.lengthShort { waitForRoom() }
        } else {
            let stored = StoredRows(copied: gathered.rows, place: place, rest: isWhole ? nil : rows)
            sendQueued()
            let bundle = RecoveryJob()
            underway.append(bundle)
            bundle.carryOut { [try recovery.restored(from: stored)] }
        }
    }

    private mutating func sendQueued() {
        let sent = gathered
        gathered = QueuedLists()
        if sent.lists.isEmpty { return }
        let bundle = RecoveryJob()
        underway.append(bundle)
        backlog.add(sent.length)
        queue.async { [backlog] in
            bundle.carryOut {
                try sent.lists.map {
                    try $0.recovery.restored(from: StoredRows(copied: sent.rows, place: $0.place, rest: nil))
                }
            }
            backlog.add(-sent.length)
        }
    }

    private func waitForRoom() {
        for bundle in underway where backlog.length >= Self.backlogMax { bundle.wait() }
    }

    /// The next lists in order. Nil if they are not restored yet.
    mutating func nextDone() throws -> [RecoveredList]? {
        underway.first?.isDone == true ? try next() : nil
    }

    /// Waits for the next lists in order. Nil if none are left.
    mutating func next() throws -> [RecoveredList]? {
        if underway.isEmpty { sendQueued() }
        return try underway.popFirst()?.restored()
    }

    /// Lists for the second thread, with copies of their rows.
    private struct QueuedLists: Sendable {
        var rows = CopiedRows()
        var lists: [(recovery: ListRecovery, place: CopiedRows.ListRange)] = []

        /// In bytes. Each list adds an overhead, so that the number of empty lists is bounded too.
        var length: Int { rows.length + lists.count * 1_024 }
    }

    /// The bytes that the second thread still has to restore.
    private final class Backlog: Sendable {
        private let sum = Atomic(0)

        var length: Int { sum.load(ordering: .relaxed) }

        func add(_ length: Int) { sum.add(length, ordering: .relaxed) }
    }

    private final class RecoveryJob: Sendable {
        private let made = Mutex<Result<[RecoveredList], any Error>?>(nil)
        private let isMade = DispatchSemaphore(value: 0)

        func carryOut(_ restore: () throws -> [RecoveredList]) {
            let result = Result { try restore() }
            made.withLock { $0 = result }
            isMade.signal()
        }

        var isDone: Bool { made.withLock { $0 != nil } }

        func wait() {
            isMade.wait()
            isMade.signal()
        }

        func restored() throws -> [RecoveredList] {
            isMade.wait()
            guard let result = made.withLock(\.self) else { preconditionFailure("lists that are done were restored") }
            return try result.get()
        }
    }
}

extension ListRecovery {
    fileprivate func restored(from rows: StoredRows) throws -> RecoveredList {
        var recovery = self
        let (list, history) = try recovery.recover(from: rows)
        return RecoveredList(heading: heading, list: list, history: history, lastChange: recovery.lastTime)
    }
}
