import Logging

extension Store {
    /// Opens a state directory and recovers its lists. A missing directory is created.
    ///
    /// `onFailure` is called at most once, on the executor, after a disk failure, when all waiting requests have been
    /// answered. The daemon should then exit and be restarted. `onProgress` gets the percentage of the stored bytes
    /// that have been read, as an integer, on any thread, at most 100 times.
    package static func open(
        directory: String, executor: any StoreExecutor, limits: StoreLimits = StoreLimits(),
        accessRules: AccessRules = AccessRules(), logger: Logger,
        clock: StoreClock = .system,
        onProgress: @escaping @Sendable (Int) -> Void = { _ in }, onFailure: @escaping @Sendable (String) -> Void
    ) async throws(StoreOpeningError) -> Store {
        let journal = try SQLiteJournal(directory: directory, limits: limits, logger: logger, clock: clock)
        let recovered = try await journal.recover(onProgress: onProgress)
        try await journal.beginWriting()
        let store = Store(
            executor: executor, journal: journal, recovered: recovered, limits: limits, accessRules: accessRules,
            logger: logger, clock: await journal.clock, onFailure: onFailure)
        await store.endLeasesLeftBehind()
        await store.purgeDeletedLists()
        await journal.startMaintenance()
        return store
    }
}
