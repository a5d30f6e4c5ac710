import Diffable

/// What history remembers of one transaction.
package struct Revision: Sendable, Equatable {
    /// The revision that it led to.
    package let number: Int
    /// When it was made.
    package let moment: Moment
    /// How many operations its canonical difference has.
    package let operations: Int
    /// About how many bytes it takes to keep the state before (`Snapshot.lengthKept`).
    let length: Int
    /// Who made it; nil if that is not known.
    package let origin: Origin?
    /// Set for an undo or a redo. A transaction that only asked for a redraw has a step from its position to the same position.
    package var undoStep: UndoStep?

    /// What a transaction takes in memory beside `length`, in bytes: its place in history and its row in the journal. Measured by
    /// `Benchmarks/pasts.py`.
    static let lengthBeside = 64
}

/// Who asks for a change, as history tells it.
package struct Origin: Sendable, Equatable {
    /// What the client calls itself.
    package var name: String?
    package var processID: Int?
    package var userID: Int?
    /// The list's handler, who consented, if it was asked.
    package var handler: ClientIdentity?

    package init(name: String? = nil, processID: Int? = nil, userID: Int? = nil, handler: ClientIdentity? = nil) {
        self.name = name
        self.processID = processID
        self.userID = userID
        self.handler = handler
    }
}
