import Diffable

/// What one list went through in one group of transactions that have just become visible.
///
/// Subscriptions are told by these before anybody's request is answered, so that a client sees its own change before
/// the reply to it.
package struct Commit: Sendable {
    package let event: Event
    /// The committed state after it; of a deletion, the last one there was.
    package let state: ListState
    /// Whether others may see or change the list now than before.
    package var changesAccess = false
    /// What only those hold now who follow the list: of a deletion all its states, and otherwise the one before, if it was
    /// too different to be kept. To free them may take long.
    package var forgotten: [ListState] = []

    package var list: ListName { state.name }

    package enum Event: Sendable {
        case created
        /// From which revision. `step` is there when one transaction went all the way.
        case changed(from: Int, step: Step?)
        /// What is in the list is as it was.
        case unchanged
        case deleted
        /// The same, and another life of it begins at once.
        case replaced
    }

    /// One transaction, ready to be passed on.
    package struct Step: Sendable {
        /// The canonical difference.
        package let operations: [Operation]
        /// The same as a JSON array, when the journal has encoded it in one piece.
        package let encoded: [UInt8]?
    }
}
