import Diffable

/// What a transaction came to.
///
/// A class, like `ListState`, so that handing it on costs one reference.
package final class Outcome: Sendable {
    let before: ListState
    /// Of a dry run, what would have come of it, at the revision there was.
    let after: ListState
    /// The difference between `old` and `new` in canonical form; empty when the transaction changed nothing.
    package let operations: [Operation]
    /// Whether whoever asked may be told only that it was done, because it may not read the list.
    package let isBlind: Bool
    /// Of a request that came again. The states are then those of now, and there are no operations.
    let first: FirstResult?

    init(before: ListState, after: ListState, operations: [Operation], isBlind: Bool = false) {
        self.before = before
        self.after = after
        self.operations = operations
        self.isBlind = isBlind
        self.first = nil
    }

    /// The answer to a request that came again.
    init(repeating first: FirstResult, of state: ListState, isBlind: Bool) {
        self.before = state
        self.after = state
        self.operations = []
        self.isBlind = isBlind
        self.first = first
    }

    package var list: ListName { after.name }
    package var epoch: String { after.epoch }
    /// After the transaction; of a dry run, and of one that changed nothing, the revision there was.
    package var revision: Int { first?.revision ?? after.revision }
    package var old: Snapshot { before.snapshot }
    package var new: Snapshot { after.snapshot }
    package var isChanged: Bool { first?.isChanged ?? !operations.isEmpty }

    /// What the change amounts to; nil when there is none. O(what was inserted).
    package var summary: DifferenceSummary? {
        if let first { return first.summary }
        return isChanged ? DifferenceSummary(operations, from: old, to: new) : nil
    }
}

/// Whether a transaction is carried out, or only computed.
package enum TransactionMode: Sendable {
    case commit
    /// Answers what would come of it and changes nothing.
    case dryRun
}

/// How subscribers learn of an `apply`.
package enum Delivery: Sendable {
    case difference
    /// They get the whole state again (`applySnapshotUsingReloadData` of UIKit).
    case reload
}

/// The state that an `apply` asks for.
package enum Target: Sendable {
    /// The list becomes exactly this.
    case whole([Section])
    /// The section becomes exactly this, at the list's end if there is none; items that other sections hold are taken over.
    case section(SectionID, [Item])
    /// What these operations make of nothing: of an empty list, or of one that has only the section, which is then
    /// the one replaced.
    case operations([Operation], section: SectionID? = nil)
}

/// What creating a list means when there is one of that name.
package enum ExistingList: Sendable {
    case isError
    /// The list stays as it is and is the answer.
    case isAnswer
}
