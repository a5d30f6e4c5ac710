/// Where changes of durable lists are made to last.
///
/// There is one in the daemon, on SQLite. The seam is here for tests: a journal that fails, stalls or answers at a
/// time of the test's choosing.
package protocol Journal: Sendable {
    /// Writes all of the changes or none, and says so once they are on disk. Changes of volatile lists are passed over.
    ///
    /// The completion is called once, on any thread, with the JSON of each change that was encoded in one piece.
    func write(_ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void)

    /// Takes other limits, for what is written from now on.
    func take(_ limits: StoreLimits)

    /// For how long it has stood still at what it is at (`WorkProgress`). May be asked on any thread.
    var standstill: Duration { get }

    /// Finishes what was begun and gives the files up.
    func close(completion: @escaping @Sendable () -> Void)
}

/// Why a group of changes was not written.
package enum JournalError: Error, Sendable, Equatable {
    /// The disk is full, and none of the group is on it.
    case noSpace
    /// Whether the group is on disk is unknown.
    case failed(reason: String)
}
