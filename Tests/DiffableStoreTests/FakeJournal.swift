import DiffableStore
import Synchronization

/// A journal that keeps commit groups until the test decides their outcome.
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

    func apply(_ limits: StoreLimits) {}

    var standstill: Duration { .zero }

    func close(completion: @escaping @Sendable (_ failure: String?) -> Void) {
        state.withLock { $0.isClosed = true }
        completion(failureAtClose)
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The number of changes in each unanswered group. The store never submits two at a time.
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
