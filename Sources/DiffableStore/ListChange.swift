import Diffable

/// The effect of one transaction on one list, not yet on disk: the journal writes it and a commit makes it visible.
///
/// A class, like `ListState`, so that handing it on costs one reference.
package final class ListChange: Sendable {
    package let event: Event
    /// The state afterwards; of a deletion, the state before.
    package let state: ListState
    /// The entry in history; nil for a creation or a deletion.
    let revision: Revision?
    /// The result for whoever sends the request again; nil without a key.
    let result: FirstResult?
    /// The effect on the list's leases; nil for none.
    let leases: LeaseChange?
    /// The access, if the change sets it; nil otherwise.
    let access: AccessRecord?
    /// The schemas, if the change sets them or the list has them from its beginning; nil otherwise.
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

    /// A change to the next revision.
    /// - Parameter operations: the canonical difference of the two states.
    convenience init(
        from old: ListState, to state: ListState, by operations: [ListOperation], _ delivery: Delivery = .difference,
        at moment: Moment, origin: Origin?, result: FirstResult? = nil, leases: LeaseChange? = nil
    ) {
        self.init(
            from: old, to: state, by: MadeChange(new: state.snapshot, operations: operations, delivery: delivery),
            at: moment, origin: origin, result: result, leases: leases)
    }

    convenience init(
        from old: ListState, to state: ListState, by change: MadeChange, at moment: Moment, origin: Origin?,
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
        /// The canonical difference from the revision before.
        case stepped([ListOperation], Delivery)
        /// A shared list is at a later revision than the one before, and what was between is not known. Its rows begin anew,
        /// under another number, with the operations that make it from nothing.
        case advanced(from: ListState, [ListOperation])
        /// The contents are unchanged: a request with a key changed nothing, which is remembered, or a lease ended, or
        /// the access or the schemas changed.
        case unchanged
        /// Nil: it cannot come back.
        case deleted(Deletion?)
        /// A deleted list is there again, as it was, and maybe under another name.
        case undeleted(from: ListName)
        /// A deleted list cannot come back any more; `state` is its last one.
        case purged
    }

    /// Whether nothing is left of the list.
    var isEnd: Bool {
        switch event {
        case .deleted(nil), .purged: true
        case .created, .stepped, .advanced, .unchanged, .deleted, .undeleted: false
        }
    }
}
