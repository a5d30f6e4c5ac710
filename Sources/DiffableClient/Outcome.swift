import Diffable
import DiffableProtocol

/// What a transaction came to.
public struct Outcome: Sendable {
    public var list: ListName
    /// The list's revision now.
    public var revision: Int
    /// Whether anything is different; if not, the revision is what it was and nobody was told anything.
    public var changed: Bool
    /// What a dry run would do.
    public var operations: [Operation]?
    /// Counts for people, if the daemon gave them.
    package var summary: DifferenceSummary?

    init(_ change: Reply.Change) {
        list = change.list
        revision = change.revision
        changed = change.isChanged
        operations = change.operations
        summary = change.summary
    }
}
