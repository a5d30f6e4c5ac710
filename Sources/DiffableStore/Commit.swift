import Diffable

/// An effect on one list that has just become visible, from one or more transactions of a commit group.
///
/// Subscriptions receive it before any request is answered, so a client gets its own change before the reply to it.
package struct Commit: Sendable {
    package let event: Event
    /// The committed state after the change. For a deletion, the last state.
    package let state: ListState
    package var changesAccess = false
    /// States that the store no longer holds: after a deletion, all states of the list; otherwise the previous state,
    /// if it is too different to keep. Freeing them may take long.
    package var forgotten: [ListState] = []

    package var list: ListName { state.name }

    /// Whether this incarnation of the list ends.
    package var isEnd: Bool {
        switch event {
        case .deleted, .replaced: true
        case .created, .changed, .unchanged: false
        }
    }

    package var isChange: Bool {
        if case .changed = event { true } else { false }
    }

    package enum Event: Sendable {
        case created
        /// From this revision to the revision of `state`. `transaction` is nil if several transactions made the change.
        case changed(from: Int, transaction: Transaction?)
        case unchanged
        case deleted
        /// Deleted, and created again in the same group.
        case replaced
    }

    package struct Transaction: Sendable {
        /// The canonical diff.
        package let operations: [ListOperation]
        /// `operations` as a JSON array. Nil if the journal did not encode it in one piece.
        package let encoded: [UInt8]?
    }
}
