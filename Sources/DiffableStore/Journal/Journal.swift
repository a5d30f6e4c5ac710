/// Makes changes of durable lists durable.
///
/// The daemon has one, on SQLite. The protocol is for tests: a journal that fails, stalls or answers when the test
/// wants it.
package protocol Journal: Sendable {
    /// Writes all of the changes or none, and calls back once they are on disk. Changes of volatile lists are skipped.
    ///
    /// The completion is called once, on any thread, with the JSON of each change that was encoded in one piece.
    func write(_ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void)

    /// Takes new limits, for what is written from now on.
    func take(_ limits: StoreLimits)

    /// How long the work at hand has made no progress (`WorkProgress`). May be asked on any thread.
    var standstill: Duration { get }

    /// Finishes what was begun and closes the files. The completion gets the reason if something may not be on disk.
    func close(completion: @escaping @Sendable (_ failure: String?) -> Void)
}

/// Why a group of changes was not written.
package enum JournalError: Error, Sendable, Equatable {
    /// The disk is full, and none of the group is on it.
    case noSpace
    /// Whether the group is on disk is unknown.
    case failed(reason: String)
}
