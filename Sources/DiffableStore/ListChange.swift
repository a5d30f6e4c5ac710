import Diffable

/// One transaction's effect on one list, not yet on disk: what the journal writes and what a commit makes visible.
package struct ListChange: Sendable {
    package let event: Event
    /// After it; of a deletion, before it.
    package let state: ListState
    /// What history says of it; nil for a creation or a deletion.
    let revision: Revision?

    init(event: Event, state: ListState, revision: Revision? = nil) {
        self.event = event
        self.state = state
        self.revision = revision
    }

    package enum Event: Sendable {
        case created
        /// The canonical difference from the revision before.
        case stepped([Operation], Delivery)
        case deleted
    }
}
