/// How far back states are kept, in memory and, for a durable list, on disk.
package struct HistoryLimits: Sendable, Equatable {
    /// The approximate maximum for one list's history, in bytes; 0 keeps none. A small change counts as about 350
    /// bytes. The newest change is kept even if it exceeds the limit.
    package var lengthMax: Int
    /// The maximum for the histories of all lists together, in bytes (`HistoryBudget`).
    package var lengthInAllMax: Int
    /// The maximum for all deleted lists with their histories, in bytes; 0 keeps none. The budget is separate, because
    /// on a busy day small changes fill the histories' budget and would evict a list deleted by mistake.
    package var deletedLengthMax: Int
    /// The maximum age of history and of deleted lists, in seconds of `RunningTime`.
    package var ageMax: Int

    package init(
        lengthMax: Int = 4 << 20, lengthInAllMax: Int = 24 << 20, deletedLengthMax: Int = 16 << 20,
        ageMax: Int = 86_400
    ) {
        self.lengthMax = lengthMax
        self.lengthInAllMax = lengthInAllMax
        self.deletedLengthMax = deletedLengthMax
        self.ageMax = ageMax
    }

    var isNewestKept: Bool { lengthMax > 0 && lengthInAllMax > 0 }

    func isExpired(_ time: RunningTime, now: RunningTime) -> Bool { time.isOlder(than: ageMax, at: now) }
}
