import Diffable
import DiffableProtocol

/// The result of a transaction.
public struct Outcome: Sendable {
    /// The list that was, or would be, changed.
    public var list: ListName
    /// The list's revision now; zero for a caller that may change the list but not read it.
    public var revision: Int
    /// Whether anything changed. If not, the revision is unchanged and followers got nothing. It is true for a caller that may
    /// not read the list, because the daemon does not reveal it.
    public var changed: Bool
    /// Set for an undo or a redo.
    public var undoStep: UndoStep?
    /// The operations that a dry run would make.
    public var operations: [ListOperation]?
    package var summary: DifferenceSummary?

    init(_ change: Reply.Change) {
        list = change.list
        revision = change.revision ?? 0
        changed = change.isChanged ?? true
        undoStep = change.undoStep
        operations = change.operations
        summary = change.summary
    }
}
