/// Makes changes of durable lists durable.
///
/// The daemon's journal uses SQLite. The protocol exists for tests, whose journals fail, stall or answer on demand.
package protocol Journal: Sendable {
    /// Writes all of the changes or none, and calls back once they are on disk. Changes of volatile lists are skipped.
    ///
    /// The completion is called once, on any thread. It gets the JSON of each change that was encoded in one piece, and
    /// nil for the others.
    func write(_ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void)

    func apply(_ limits: StoreLimits)

    /// How long the current work has made no progress (`WorkProgress`). Callable from any thread.
    var standstill: Duration { get }

    /// Finishes pending work and closes the files. The completion gets a reason if some changes may not be on disk.
    func close(completion: @escaping @Sendable (_ failure: String?) -> Void)
}

package enum JournalError: Error, Sendable, Equatable {
    /// The disk is full, and nothing of the group was written.
    case noSpace
    /// It is unknown whether the group is on disk.
    case failed(reason: String)
}
