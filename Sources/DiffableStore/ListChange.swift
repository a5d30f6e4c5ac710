import Diffable

/// One transaction's effect on one list, not yet on disk: what the journal writes and what a commit makes visible.
///
/// A class, like `ListState`, so that handing it on costs one reference.
package final class ListChange: Sendable {
    package let event: Event
    /// After it; of a deletion, before it.
    package let state: ListState
    /// What history says of it; nil for a creation or a deletion.
    let revision: Revision?
    /// What is remembered for whoever sends the request again; nil for one without a key.
    let result: FirstResult?
    /// What it means to the list's leases; nil for nothing.
    let leases: LeaseChange?
    /// Of a creation, and of a change of who may what; nil for nothing.
    let access: AccessRecord?

    init(
        event: Event, state: ListState, revision: Revision? = nil, result: FirstResult? = nil,
        leases: LeaseChange? = nil, access: AccessRecord? = nil
    ) {
        self.event = event
        self.state = state
        self.revision = revision
        self.result = result
        self.leases = leases
        self.access = access
    }

    /// The step to the next revision.
    /// - Parameter operations: the canonical difference of the two states.
    convenience init(
        from old: ListState, to state: ListState, by operations: [Operation], _ delivery: Delivery = .difference,
        at time: Timestamp, origin: Origin?, result: FirstResult? = nil, leases: LeaseChange? = nil
    ) {
        let revision = Revision(
            number: state.revision, time: time, operations: operations.count,
            length: old.snapshot.lengthKept(after: operations), origin: origin)
        self.init(
            event: .stepped(operations, delivery), state: state, revision: revision, result: result, leases: leases)
    }

    package enum Event: Sendable {
        case created
        /// The canonical difference from the revision before.
        case stepped([Operation], Delivery)
        /// What is in the list is as it was: a request with a key changed nothing, which is remembered, or a lease of it
        /// ended, or other people may see or change it.
        case unchanged
        case deleted
    }
}
