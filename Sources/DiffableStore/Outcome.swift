import Diffable

/// The result of a transaction.
///
/// A class, like `ListState`, so that handing it on costs one reference.
package final class Outcome: Sendable {
    package let before: ListState
    /// After a dry run, the state that it would have made, at the revision of now.
    let after: ListState
    /// The difference between `old` and `new` in canonical form; empty when the transaction changed nothing.
    package let operations: [ListOperation]
    /// Whether the client may not read the list, so that its reply says only that the change was made.
    package let isWriteOnly: Bool
    /// Set for a repeated request. The states are then those of now, and there are no operations.
    let first: FirstResult?
    /// Set for an undo or a redo. For a repeated request, only while history keeps it.
    package let undoStep: UndoStep?
    /// Set for a proposal that the list's handler is to see.
    package let consideration: Consideration?
    /// If it was counted beside the queue.
    private let summaryCounted: DifferenceSummary?

    init(
        before: ListState, after: ListState, by change: MadeChange, isWriteOnly: Bool,
        consideration: Consideration? = nil
    ) {
        self.before = before
        self.after = after
        self.operations = change.operations
        self.isWriteOnly = isWriteOnly
        self.first = nil
        self.undoStep = change.undoStep
        self.consideration = consideration
        self.summaryCounted = change.consequences?.summary
    }

    init(before: ListState, after: ListState, operations: [ListOperation], isWriteOnly: Bool = false) {
        self.before = before
        self.after = after
        self.operations = operations
        self.isWriteOnly = isWriteOnly
        self.first = nil
        self.undoStep = nil
        self.consideration = nil
        self.summaryCounted = nil
    }

    /// The reply to a repeated request.
    init(repeating first: FirstResult, of state: ListState, isWriteOnly: Bool, undoStep: UndoStep? = nil) {
        self.before = state
        self.after = state
        self.operations = []
        self.isWriteOnly = isWriteOnly
        self.first = first
        self.undoStep = first.isChanged ? undoStep : nil
        self.consideration = nil
        self.summaryCounted = nil
    }

    package var list: ListName { after.name }
    /// Whether the request was carried out before.
    package var isRepeated: Bool { first != nil }
    package var epoch: String { after.epoch }
    /// The revision after the transaction; after a dry run, or when nothing changed, the revision of now.
    package var revision: Int { first?.revision ?? after.revision }
    package var old: Snapshot { before.snapshot }
    package var new: Snapshot { after.snapshot }
    package var isChanged: Bool { first?.isChanged ?? !operations.isEmpty }

    /// The number of changes of each kind; nil when nothing changed. O(what was inserted), or known already.
    package var summary: DifferenceSummary? {
        if let first { return first.summary }
        return isChanged ? summaryCounted ?? DifferenceSummary(operations, from: old, to: new) : nil
    }
}
