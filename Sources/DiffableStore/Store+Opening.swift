import Logging

extension Store {
    /// Opens a state directory, making it when it is not there, and recovers what it holds.
    ///
    /// `onFailure` is called at most once, on the executor, when the disk has failed and everybody who waited has
    /// been told: the daemon should end then, and be started again.
    package static func open(
        directory: String, executor: any StoreExecutor, limits: StoreLimits = StoreLimits(), logger: Logger,
        onFailure: @escaping @Sendable (String) -> Void
    ) async throws(StoreOpeningError) -> Store {
        let journal = try SQLiteJournal(directory: directory, limits: limits, logger: logger)
        let recovered = try await journal.recover()
        let store = Store(
            executor: executor, journal: journal, recovered: recovered, limits: limits, logger: logger,
            onFailure: onFailure)
        await journal.startUpkeep()
        return store
    }
}
