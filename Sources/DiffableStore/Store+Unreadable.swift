import Logging

extension Store {
    /// Creates a store for a directory that cannot be read. It has no lists, touches no file and refuses every change,
    /// so the daemon can keep running and report the problem and its remedy.
    package static func refusing(
        because error: StoreOpeningError, executor: any StoreExecutor, logger: Logger
    ) async -> Store {
        let store = Store(executor: executor, journal: NoJournal(), logger: logger, onFailure: { _ in })
        await store.refuse(because: error)
        return store
    }

    private func refuse(because error: StoreOpeningError) { condition = .unreadable(error) }

    /// The reason why the lists cannot be read. Nil if they can.
    package var unreadable: StoreError? {
        if case .unreadable(let error) = condition { .unreadable(error) } else { nil }
    }
}

private struct NoJournal: Journal {
    func write(_ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void) {
        preconditionFailure("a store that refuses writes nothing")
    }

    func apply(_ limits: StoreLimits) {}

    var standstill: Duration { .zero }

    func close(completion: @escaping @Sendable (_ failure: String?) -> Void) { completion(nil) }
}
