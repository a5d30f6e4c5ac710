import DiffableStore
import Synchronization

/// A journal that keeps what it is given until the test says what becomes of it.
final class FakeJournal: Journal {
    private struct Waiting {
        let changes: [ListChange]
        let completion: @Sendable (Result<[[UInt8]?], JournalError>) -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let failureAtClose: String?

    init(failureAtClose: String? = nil) { self.failureAtClose = failureAtClose }

    func write(_ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void) {
        state.withLock { $0.waiting.append(Waiting(changes: changes, completion: completion)) }
    }

    func take(_ limits: StoreLimits) {}

    var standstill: Duration { .zero }

    func close(completion: @escaping @Sendable (_ failure: String?) -> Void) {
        state.withLock { $0.isClosed = true }
        completion(failureAtClose)
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// How many changes each group has that was given and not answered. The store never gives two at a time.
    var waitingGroups: [Int] { state.withLock { $0.waiting.map(\.changes.count) } }

    func succeed() {
        answer { .success(Array(repeating: nil, count: $0)) }
    }

    func fail(_ error: JournalError) {
        answer { _ in .failure(error) }
    }

    private func answer(_ result: (Int) -> Result<[[UInt8]?], JournalError>) {
        let waiting = state.withLock { $0.waiting.removeFirst() }
        waiting.completion(result(waiting.changes.count))
    }
}
