import Diffable
import DiffableProtocol

/// What a transaction came to.
public struct Outcome: Sendable {
    /// The list that was, or would be, changed.
    public var list: ListName
    /// The list's revision now; zero for one who may change the list and not read it.
    public var revision: Int
    /// Whether anything is different, which one who may not read the list is not told: then it is true. If not, the revision is what it was and nobody was told anything.
    public var changed: Bool
    /// Set for an undo or a redo.
    public var undoStep: UndoStep?
    /// What a dry run would do.
    public var operations: [ListOperation]?
    /// Counts for people, if the daemon gave them.
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
