import Diffable

/// What happened to one list in a group of transactions that has just become visible.
///
/// Subscriptions are told before any request is answered, so that a client sees its own change before the reply to it.
package struct Commit: Sendable {
    package let event: Event
    /// The committed state afterwards; after a deletion, the last one.
    package let state: ListState
    /// Whether the list's access has changed.
    package var changesAccess = false
    /// States that only subscriptions hold from now on: after a deletion all states of the list; otherwise the one
    /// before, if it was too different to be kept. Freeing them may take long.
    package var forgotten: [ListState] = []

    package var list: ListName { state.name }

    /// Whether it is the end of one life of the list.
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
        /// From this revision to that of `state`. `transaction` is there when one transaction made the whole change.
        case changed(from: Int, transaction: Transaction?)
        /// The list's contents are unchanged.
        case unchanged
        case deleted
        /// Deleted, and created again at once.
        case replaced
    }

    /// One transaction, ready to be sent on.
    package struct Transaction: Sendable {
        /// The canonical difference.
        package let operations: [ListOperation]
        /// The same as a JSON array, when the journal has encoded it in one piece.
        package let encoded: [UInt8]?
    }
}
