import Diffable

/// The effect of one transaction on one list, before it is on disk. The journal writes it, and a commit makes it visible.
///
/// A class, so that passing it on costs one reference.
package final class ListChange: Sendable {
    package let event: Event
    /// The state after the change. For a deletion, the last state.
    package let state: ListState
    /// The history entry. Nil for a creation or a deletion.
    let revision: Revision?
    /// The result for a repeated request. Nil without a key.
    let result: FirstResult?
    /// Nil for no effect.
    let leases: LeaseChange?
    /// The new access. Nil if the change does not set it.
    let access: AccessRecord?
    /// The new schemas, or the first schemas of a created list. Nil if the change sets none.
    let schemas: ListSchemas?

    init(
        event: Event, state: ListState, revision: Revision? = nil, result: FirstResult? = nil,
        leases: LeaseChange? = nil, access: AccessRecord? = nil, schemas: ListSchemas? = nil
    ) {
        self.event = event
        self.state = state
        self.revision = revision
        self.result = result
        self.leases = leases
        self.access = access
        self.schemas = schemas
    }

    /// Creates a change to the next revision.
    /// - Parameter operations: the canonical diff of the two states.
    convenience init(
        from old: ListState, to state: ListState, by operations: [ListOperation], _ delivery: Delivery = .difference,
        at moment: Moment, origin: Origin?, result: FirstResult? = nil, leases: LeaseChange? = nil
    ) {
        self.init(
            from: old, to: state, by: ComputedChange(new: state.snapshot, operations: operations, delivery: delivery),
            at: moment, origin: origin, result: result, leases: leases)
    }

    convenience init(
        from old: ListState, to state: ListState, by change: ComputedChange, at moment: Moment, origin: Origin?,
        result: FirstResult? = nil, leases: LeaseChange? = nil
    ) {
        let length = change.consequences?.lengthKept ?? old.snapshot.lengthKept(after: change.operations)
        let revision = Revision(
            number: state.revision, moment: moment, operations: change.operations.count, length: length,
            origin: origin, undoStep: change.undoStep)
        self.init(
            event: .stepped(change.operations, change.delivery), state: state, revision: revision, result: result,
            leases: leases)
    }

    package enum Event: Sendable {
        case created
        /// The canonical diff from the previous revision.
        case stepped([ListOperation], Delivery)
        /// A shared list has advanced by more than one revision, and the steps between are unknown. Its rows start
        /// again under a new list number, with the operations that build the state from an empty list.
        case advanced(from: ListState, [ListOperation])
        /// The contents are unchanged: a request with a key is remembered, a lease ended, or the access or schemas changed.
        case unchanged
        /// Nil if the list cannot be undeleted.
        case deleted(Deletion?)
        /// A deleted list is restored unchanged, possibly under another name.
        case undeleted(from: ListName)
        /// A deleted list can no longer be undeleted. `state` is its last state.
        case purged
    }

    /// Whether nothing remains of the list.
    var isEnd: Bool {
        switch event {
        case .deleted(nil), .purged: true
        case .created, .stepped, .advanced, .unchanged, .deleted, .undeleted: false
        }
    }
}
