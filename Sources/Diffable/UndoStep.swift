/// One undo or redo: it makes a new revision with the state of an earlier revision, `to`. The next undo continues from `to`.
public struct UndoStep: Sendable, Equatable {
    /// The list had the state of this revision. For an undo, it is the newest change that was undone.
    public var from: Int
    /// The list has the state of this revision now. For a redo, it is the newest change that was redone.
    public var to: Int

    /// Creates a step between the states of two revisions.
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    /// True for an undo, false for a redo.
    public var isUndo: Bool { to < from }
}

/// The argument of an undo or a redo.
package enum UndoTarget: Sendable, Equatable {
    /// Undo this number of changes.
    case back(Int)
    /// Redo this number of undone changes.
    case forward(Int)
    case revision(Int)
}
