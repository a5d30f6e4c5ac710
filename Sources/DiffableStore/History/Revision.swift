import Diffable

/// The history entry of one transaction.
package struct Revision: Sendable, Equatable {
    /// The revision after the transaction.
    package let number: Int
    package let moment: Moment
    /// The number of operations in its canonical diff.
    package let operations: Int
    /// The approximate cost of keeping the state before it, in bytes (`Snapshot.lengthKept`).
    let length: Int
    package let origin: Origin?
    /// Set for an undo or a redo. A transaction that only asked for a redraw has a step from its position to the same position.
    package var undoStep: UndoStep?

    /// The memory of a transaction in addition to `length`, in bytes: its place in history and its row in the journal.
    /// Measured by `Benchmarks/pasts.py`.
    static let overheadLength = 64
}

/// The client that asked for a change. Where an origin is optional, nil means unknown.
package struct Origin: Sendable, Equatable {
    /// The name that the client gave.
    package var name: String?
    package var processID: Int?
    package var userID: Int?
    /// The list's handler that approved the change. Nil if none was asked.
    package var handler: ClientIdentity?

    package init(name: String? = nil, processID: Int? = nil, userID: Int? = nil, handler: ClientIdentity? = nil) {
        self.name = name
        self.processID = processID
        self.userID = userID
        self.handler = handler
    }
}
