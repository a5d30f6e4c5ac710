/// How far back states are kept, in memory and, of a durable list, on disk.
package struct HistoryLimits: Sendable, Equatable {
    /// About how much one list's past may take, in bytes; 0 keeps none. A small change counts as some 350 bytes. The newest
    /// change is kept even if it takes more.
    package var lengthMax: Int
    /// How much the pasts of all lists may take together, in bytes (`PastBudget`).
    package var lengthInAllMax: Int
    /// The most that all deleted lists may take that can come back, with their pasts. 0 keeps none. It is a budget of its
    /// own: small changes fill that of the pasts on a busy day, and would push out what somebody deleted by mistake.
    package var deletedLengthMax: Int
    /// How long a past and a deleted list are kept, in seconds for which a daemon has run (`RunningTime`).
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

    func isPast(_ time: RunningTime, now: RunningTime) -> Bool { time.isOlder(than: ageMax, at: now) }
}
