import Logging

extension Store {
    /// Opens a state directory, which is made if it is missing, and recovers its lists.
    ///
    /// `onFailure` is called at most once, on the executor, when the disk has failed and everybody who waited has been
    /// told. The daemon should exit then, and be started again. `onProgress` gets how much of what is stored has been
    /// read, in whole percent, on any thread, at most a hundred times.
    package static func open(
        directory: String, executor: any StoreExecutor, limits: StoreLimits = StoreLimits(),
        accessRules: AccessRules = AccessRules(), logger: Logger,
        clock: StoreClock = .system,
        onProgress: @escaping @Sendable (Int) -> Void = { _ in }, onFailure: @escaping @Sendable (String) -> Void
    ) async throws(StoreOpeningError) -> Store {
        let journal = try SQLiteJournal(directory: directory, limits: limits, logger: logger, clock: clock)
        let recovered = try await journal.recover(onProgress: onProgress)
        try await journal.takeOver()
        let store = Store(
            executor: executor, journal: journal, recovered: recovered, limits: limits, accessRules: accessRules,
            logger: logger, clock: await journal.clock, onFailure: onFailure)
        await store.endLeasesLeftBehind()
        await store.purgeDeletedLists()
        await journal.startUpkeep()
        return store
    }
}
