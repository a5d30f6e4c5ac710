import Logging

extension Store {
    /// Opens a state directory, making it when it is not there, and recovers what it holds.
    ///
    /// `onFailure` is called at most once, on the executor, when the disk has failed and everybody who waited has
    /// been told: the daemon should end then, and be started again. `onProgress` is told how much of what is stored has
    /// been read, in whole percent, on any thread and not more than a hundred times.
    package static func open(
        directory: String, executor: any StoreExecutor, limits: StoreLimits = StoreLimits(),
        accessRules: AccessRules = AccessRules(), logger: Logger,
        now: @escaping @Sendable () -> Timestamp = Timestamp.now,
        onProgress: @escaping @Sendable (Int) -> Void = { _ in }, onFailure: @escaping @Sendable (String) -> Void
    ) async throws(StoreOpeningError) -> Store {
        let journal = try SQLiteJournal(directory: directory, limits: limits, logger: logger, now: now)
        let recovered = try await journal.recover(onProgress: onProgress)
        try await journal.takeOver()
        let store = Store(
            executor: executor, journal: journal, recovered: recovered, limits: limits, accessRules: accessRules,
            logger: logger, now: now, onFailure: onFailure)
        await store.endLeasesLeftBehind()
        await journal.startUpkeep()
        return store
    }
}
