import Logging

extension Store {
    /// A store for a directory that cannot be read: it has no lists, touches no file and refuses every change, so that
    /// the daemon can stay and say what is wrong and what to do.
    package static func refusing(
        because error: StoreOpeningError, executor: any StoreExecutor, logger: Logger
    ) async -> Store {
        let store = Store(executor: executor, journal: NoJournal(), logger: logger, onFailure: { _ in })
        await store.refuse(because: error)
        return store
    }

    private func refuse(because error: StoreOpeningError) { condition = .unreadable(error) }

    /// Why there are no lists to read; nil when there are.
    package var unreadable: StoreError? {
        if case .unreadable(let error) = condition { .unreadable(error) } else { nil }
    }
}

/// A journal that is never written to.
private struct NoJournal: Journal {
    func write(_ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void) {
        preconditionFailure("a store that refuses writes nothing")
    }

    func take(_ limits: StoreLimits) {}

    var standstill: Duration { .zero }

    func close(completion: @escaping @Sendable (_ failure: String?) -> Void) { completion(nil) }
}
