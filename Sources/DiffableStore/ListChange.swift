import Diffable

/// One transaction's effect on one list, not yet on disk: what the journal writes and what a commit makes visible.
package struct ListChange: Sendable {
    package let event: Event
    /// After it; of a deletion, before it.
    package let state: ListState

    package enum Event: Sendable {
        case created
        /// The canonical difference from the revision before.
        case stepped([Operation], Delivery)
        case deleted
    }
}
