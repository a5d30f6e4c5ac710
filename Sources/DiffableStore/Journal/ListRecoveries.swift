import DequeModule
import Dispatch
import GRDB
import Synchronization

/// Restores lists on the thread that reads them and on another one, and hands them back in their order.
///
/// SQLite is read on one thread. To read a list takes less time than to make its states. So the other thread gets copies of
/// the rows of lists, until it has enough to do; meanwhile this one restores lists itself. A long list is never copied: it
/// is restored as it is read, and another thread makes the records of its checkpoint (`CheckpointAssembly`).
struct ListRecoveries {
    /// A list and its past.
    ///
    /// Unchecked, because one thread makes it, and does nothing with it once the other one has it.
    struct Restored: @unchecked Sendable {
        let list: JournalledList
        let history: History
    }

    /// In their order, with what was asked to be handed back with each.
    private var underway: Deque<(index: Int, errand: Errand)> = []
    /// For the other thread, which is called once for several of them: to wake it takes longer than a small list.
    private var bundle: [@Sendable () -> Void] = []
    private let backlog = Backlog()
    private let queue = DispatchQueue(label: "diffabled.recovery", qos: .userInitiated)

    /// In bytes.
    private static let lengthCopiedMax = 1 << 20
    private static let backlogMax = 1 << 20
    private static let bundleMax = 64
    /// What a list counts for beside its bytes, so that there are never too many empty ones on their way.
    private static let lengthBeside = 1_024

    /// Begins with a list.
    ///
    /// - Parameters:
    ///   - index: what it is handed back with.
    ///   - end: as for `ListRecovery.recover`.
    ///   - length: of all that is to be read of it, about, in bytes.
    ///   - onRead: hears how many bytes were read.
    mutating func begin(
        _ recovery: ListRecovery, _ index: Int, upTo end: Chain, length: Int, from database: Database,
        onRead: (Int) -> Void
    ) {
        let errand = Errand()
        underway.append((index, errand))
        guard length <= Self.lengthCopiedMax, backlog.length < Self.backlogMax else {
            sendBundle()
            return errand.carryOut { try recovery.restored(upTo: end, from: .inDatabase(database), onRead: onRead) }
        }
        let rows = Result {
            try CopiedRows(of: recovery.heading, length: length, in: database, onRead: onRead)
        }
        backlog.add(length + Self.lengthBeside)
        bundle.append { [backlog] in
            errand.carryOut { try recovery.restored(upTo: end, from: .copied(rows.get())) }
            backlog.add(-length - Self.lengthBeside)
        }
        if bundle.count >= Self.bundleMax { sendBundle() }
    }

    private mutating func sendBundle() {
        guard !bundle.isEmpty else { return }
        queue.async { [bundle] in for errand in bundle { errand() } }
        bundle = []
    }

    /// The next list in their order, if it is restored.
    mutating func nextDone() throws -> (index: Int, restored: Restored)? {
        underway.first?.errand.isDone == true ? try next() : nil
    }

    /// The next list in their order, once it is restored; nil when none is left.
    mutating func next() throws -> (index: Int, restored: Restored)? {
        if underway.first?.errand.isDone == false { sendBundle() }
        guard let (index, errand) = underway.popFirst() else { return nil }
        return (index, try errand.result.get())
    }

    /// What the other thread has to do.
    private final class Backlog: Sendable {
        private let sum = Atomic(0)

        /// In bytes.
        var length: Int { sum.load(ordering: .relaxed) }

        func add(_ length: Int) { sum.add(length, ordering: .relaxed) }
    }

    /// One list on its way.
    private final class Errand: Sendable {
        private let made = Mutex<Result<Restored, any Error>?>(nil)
        private let isMade = DispatchSemaphore(value: 0)

        func carryOut(_ restore: () throws -> Restored) {
            let result = Result { try restore() }
            made.withLock { $0 = result }
            isMade.signal()
        }

        var isDone: Bool { made.withLock { $0 != nil } }

        /// Waits for it.
        var result: Result<Restored, any Error> {
            isMade.wait()
            guard let result = made.withLock(\.self) else { preconditionFailure("a list that is done was restored") }
            return result
        }
    }
}

extension ListRecovery {
    fileprivate func restored(
        upTo end: Chain, from rows: StoredRows, onRead: (Int) -> Void = { _ in }
    ) throws -> ListRecoveries.Restored {
        var recovery = self
        let (list, history) = try recovery.recover(upTo: end, from: rows, onRead: onRead)
        return ListRecoveries.Restored(list: list, history: history)
    }
}
