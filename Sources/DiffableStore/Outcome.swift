import Diffable

/// The result of a transaction.
///
/// A class, so that passing it on costs one reference.
package final class Outcome: Sendable {
    package let before: ListState
    /// The state after the transaction. After a dry run, the state that it would have made, at the current revision.
    let after: ListState
    /// The canonical diff from `old` to `new`. Empty if the transaction changed nothing.
    package let operations: [ListOperation]
    /// Whether the caller may not read the list, so that the reply reveals only that the change was made.
    package let isWriteOnly: Bool
    /// Set for a repeated request. `before` and `after` are then the current state, and `operations` is empty.
    let first: FirstResult?
    /// Set for an undo or a redo. For a repeated request, only while history still has it.
    package let undoStep: UndoStep?
    /// Set for a proposal that the list's handler will review.
    package let evaluation: ProposalEvaluationID?
    /// Nil unless it was computed in the background.
    private let summaryCounted: DifferenceSummary?

    init(
        before: ListState, after: ListState, by change: ComputedChange, isWriteOnly: Bool,
        evaluation: ProposalEvaluationID? = nil
    ) {
        self.before = before
        self.after = after
        self.operations = change.operations
        self.isWriteOnly = isWriteOnly
        self.first = nil
        self.undoStep = change.undoStep
        self.evaluation = evaluation
        self.summaryCounted = change.consequences?.summary
    }

    init(before: ListState, after: ListState, operations: [ListOperation], isWriteOnly: Bool = false) {
        self.before = before
        self.after = after
        self.operations = operations
        self.isWriteOnly = isWriteOnly
        self.first = nil
        self.undoStep = nil
        self.evaluation = nil
        self.summaryCounted = nil
    }

    init(repeating first: FirstResult, of state: ListState, isWriteOnly: Bool, undoStep: UndoStep? = nil) {
        self.before = state
        self.after = state
        self.operations = []
        self.isWriteOnly = isWriteOnly
        self.first = first
        self.undoStep = first.isChanged ? undoStep : nil
        self.evaluation = nil
        self.summaryCounted = nil
    }

    package var list: ListName { after.name }
    package var isRepeated: Bool { first != nil }
    package var epoch: String { after.epoch }
    /// The revision after the transaction. After a dry run, or if nothing changed, the current revision.
    package var revision: Int { first?.revision ?? after.revision }
    package var old: Snapshot { before.snapshot }
    package var new: Snapshot { after.snapshot }
    package var isChanged: Bool { first?.isChanged ?? !operations.isEmpty }

    /// The number of changes of each kind. Nil if nothing changed. O(inserted items) unless it was computed in the background.
    package var summary: DifferenceSummary? {
        if let first { return first.summary }
        return isChanged ? summaryCounted ?? DifferenceSummary(operations, from: old, to: new) : nil
    }
}
