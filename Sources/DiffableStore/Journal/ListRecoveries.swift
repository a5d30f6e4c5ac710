import DequeModule
import Dispatch
import Synchronization

/// Restores lists on the thread that reads them and on another one, and hands them back in their order.
///
/// SQLite is read on one thread. To read a list takes less time than to make its states. So the other thread gets copies of
/// the rows of lists, until it has enough to do.
///
/// - Of short lists it gets many at a time, because waking it takes longer than restoring one. When it has enough, this thread
///   waits: if both restored short lists, they would wait for each other's allocations.
/// - Longer lists are restored on both threads.
/// - The rows of a long list are copied up to a length, and it is restored on this thread as the rest is read. Another one makes
///   the records of its checkpoint (`CheckpointAssembly`).
struct ListRecoveries {
    /// In their order.
    private var underway: Deque<Bundle> = []
    /// What the other thread gets next.
    private var gathered = Gathered()
    private let backlog = Backlog()
    private let queue = DispatchQueue(label: "diffabled.recovery", qos: .userInitiated)

    /// In bytes.
    private static let lengthCopiedMax = 1 << 20
    private static let backlogMax = 1 << 20
    /// What was gathered is sent when it is as long as this.
    private static let bundleLength = 1 << 16
    private static let lengthShort = 1 << 14

    /// Begins with a list.
    /// - Parameter rows: stand behind those of the list that was begun before.
    mutating func begin(_ recovery: ListRecovery, from rows: OrderedRows) throws {
        let place = try gathered.rows.append(of: recovery.heading, from: rows, upTo: Self.lengthCopiedMax)
        let isWhole = place.length < Self.lengthCopiedMax
        if place.length < Self.lengthShort || isWhole && backlog.length < Self.backlogMax {
            gathered.lists.append((recovery, place))
            guard gathered.length >= Self.bundleLength else { return }
            send()
            if place.length < Self.lengthShort { waitForRoom() }
        } else {
            let stored = StoredRows(copied: gathered.rows, place: place, rest: isWhole ? nil : rows)
            send()
            let bundle = Bundle()
            underway.append(bundle)
            bundle.carryOut { [try recovery.restored(from: stored)] }
        }
    }

    /// Gives the other thread what was gathered.
    private mutating func send() {
        let sent = gathered
        gathered = Gathered()
        if sent.lists.isEmpty { return }
        let bundle = Bundle()
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

    /// The next lists in their order, if they are restored.
    mutating func nextDone() throws -> [RecoveredList]? {
        underway.first?.isDone == true ? try next() : nil
    }

    /// The next lists in their order, once they are restored; nil when none are left.
    mutating func next() throws -> [RecoveredList]? {
        if underway.isEmpty { send() }
        return try underway.popFirst()?.restored()
    }

    /// Lists for the other thread, with copies of their rows.
    private struct Gathered: Sendable {
        var rows = CopiedRows()
        var lists: [(recovery: ListRecovery, place: CopiedRows.Place)] = []

        /// In bytes. A list counts beside its rows, so that there are never too many empty ones on their way.
        var length: Int { rows.length + lists.count * 1_024 }
    }

    /// What the other thread has to do.
    private final class Backlog: Sendable {
        private let sum = Atomic(0)

        /// In bytes.
        var length: Int { sum.load(ordering: .relaxed) }

        func add(_ length: Int) { sum.add(length, ordering: .relaxed) }
    }

    /// Lists on their way.
    private final class Bundle: Sendable {
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

        /// Waits for them.
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
