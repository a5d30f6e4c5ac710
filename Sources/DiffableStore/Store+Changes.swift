import Diffable
import DiffableJSON

// How a list is changed. A small change is one step on the queue. What is more work is found beside it, from the head that
// there is, while others go on; if the head is another by then, it is found anew. Whoever is overtaken so again and again
// has the list to itself for the last time: what others ask of it waits, in its order.

/// What a request has beside the change itself.
struct Terms: Sendable {
    var ifRevision: Int?
    var request: KeyedRequest?
    var lease: Lease?
    var mode: TransactionMode
    var origin: Origin?
    var peer: Peer
    /// The rights that the request needs.
    var needed = Rights.write
    /// Whether a dry run is for the list's handler to see, and not for the peer.
    var isForHandler = false
    /// What the request makes of a head, when that is known.
    var known: KnownChange?
}

/// What was made of a head before, with the schemas that it fits.
struct KnownChange: Sendable {
    let made: MadeChange
    let head: ListState
    let schemas: ListSchemas?
}

/// When a request is carried out.
package enum Carrying: Sendable {
    /// It is: the head is what it made of it, or will be in its turn, or it was refused.
    case done
    /// Later, when the completion is called. What the same client asks next must wait until then.
    case underway
}

/// A change that is being carried out.
struct UnderwayChange: Sendable {
    let name: ListName
    var terms: Terms
    let plan: ChangePlan
    let completion: Store.Completion<Outcome>
    /// How often it was found from a head that was another by then.
    var timesOvertaken = 0
}

/// What was found beside the queue, and of what.
struct FoundChange: Sendable {
    let basis: ChangePlan.Basis
    let change: Result<MadeChange, StoreError>

    init(_ plan: ChangePlan, _ basis: ChangePlan.Basis) {
        self.basis = basis
        change = Result { () throws(StoreError) in try plan.change(basis).complete(basis) }
    }
}

extension Store {
    /// So often others may overtake a change.
    static let timesOvertakenMax = 1

    /// Answers a repeated request with its first result, and carries out any other.
    func change(
        _ name: ListName, _ terms: Terms, _ plan: ChangePlan, completion: @escaping Completion<Outcome>
    ) -> Carrying {
        let change = UnderwayChange(name: name, terms: terms, plan: plan, completion: completion)
        if let held = heldLists[name], held.isReserved {
            held.waiting.append { store in _ = store.carryOut(change, nil) }
            return .underway
        }
        return carryOut(change, nil)
    }

    /// The same for a request that may have a key, whose digest is found first.
    func change(
        _ name: ListName, _ terms: Terms, _ key: RequestKey?, isSummarized: Bool, _ plan: ChangePlan,
        completion: @escaping Completion<Outcome>, digest: @escaping @Sendable () -> Int64
    ) -> Carrying {
        guard refusal == nil, let key else { return change(name, terms, plan, completion: completion) }
        let keyed: @Sendable (Int64) -> Terms = { digest in
            var terms = terms
            terms.request = KeyedRequest(key: key, digest: digest, isSummarized: isSummarized)
            return terms
        }
        let size = beside.map { plan.sizeSaid(max: $0.sizeMax) } ?? 0
        guard let beside, size > beside.sizeMax else {
            return change(name, keyed(digest()), plan, completion: completion)
        }
        beside.find(size: size, digest) { digest in
            self.assumeIsolated { _ = $0.change(name, keyed(digest), plan, completion: completion) }
        }
        return .underway
    }

    private func carryOut(_ change: UnderwayChange, _ found: FoundChange?) -> Carrying {
        if let refusal {
            change.completion(.failure(refusal))
            return .done
        }
        let (name, terms) = (change.name, change.terms)
        var isWriteOnly = false
        do throws(StoreError) {
            guard let held = heldLists[name], let head = held.head else { throw .noSuchList(name) }
            let rights = held.headAccess.rights(of: terms.peer)
            isWriteOnly = !rights.contains(.read)
            // Who may see a shared list is refused by what the engine has: rights are in its log like all else.
            let isDecidedLater = held.shared != nil && terms.mode == .commit && !isWriteOnly
            if rights != .all, !isDecidedLater { try check(rights, head, terms) }
            if let source = held.headAccess.effective.source, terms.mode == .commit,
                !terms.peer.mirrored.contains(name)
            {
                throw .permissionDenied(name, .mirrored(source))
            }
            // What is only tried is tried on what there is here.
            if let shared = held.shared, terms.mode == .commit {
                terms.lease.map(useInSharedList)
                ask(.change(change), of: held, shared)
                // It has its place among what is asked of this list.
                return .done
            }
            if let request = terms.request, terms.mode == .commit || terms.isForHandler,
                let first = try firstResult(of: request, on: head)
            {
                let outcome = Outcome(
                    repeating: first, of: head, isWriteOnly: isWriteOnly,
                    undoStep: undoPath(of: head, in: held).steps[first.revision])
                answer(.outcome(change.completion, .success(outcome)), about: name)
                return .done
            }
            if let expected = terms.ifRevision, expected != head.revision {
                throw .revisionMismatch(name, expected: expected, current: head.revision)
            }
            guard let made = try made(change, held, head, found) else { return .underway }
            try checkRoom(for: made.new, from: head, in: held, by: terms.peer)
            move(held, from: head, by: made, terms, isWriteOnly: isWriteOnly, completion: change.completion)
        } catch {
            let error = isWriteOnly ? error.withoutContents : error
            answer(.outcome(change.completion, .failure(error)), about: name, to: terms.peer)
        }
        return .done
    }

    /// Nil while it is looked for beside the queue.
    private func made(
        _ change: UnderwayChange, _ held: HeldList, _ head: ListState, _ found: FoundChange?
    ) throws(StoreError) -> MadeChange? {
        if let known = change.terms.known, known.head === head, known.schemas === held.headSchemas { return known.made }
        if let found, found.basis.head === head, found.basis.schemas === held.headSchemas {
            return try found.change.get()
        }
        if case .undo(let target) = change.plan {
            let restored = try? restoredRevision(target, undoPath(of: head, in: held), head)
            let goOn: @Sendable () -> Void = { self.assumeIsolated { _ = $0.carryOut(change, nil) } }
            guard unpackHistory(of: head.name, for: restored.map { [$0.revision] } ?? [], then: goOn) else {
                return nil
            }
        }
        let basis = ChangePlan.Basis(
            head: head, schemas: held.headSchemas, past: try past(change.plan, held, head), limits: limits.snapshot,
            lease: change.terms.lease, leases: leases[head.number])
        if let beside {
            let items = change.plan.size(from: head.snapshot, past: basis.past?.state.snapshot, max: beside.sizeMax)
            let size = held.work(ofChanging: items)
            if size > beside.sizeMax {
                find(change, basis, size: size, isOvertaken: found != nil, in: held, beside)
                return nil
            }
        }
        return try change.plan.change(basis)
    }

    private func find(
        _ change: UnderwayChange, _ basis: ChangePlan.Basis, size: Int, isOvertaken: Bool, in held: HeldList,
        _ beside: WorkBeside
    ) {
        var next = change
        if isOvertaken { next.timesOvertaken += 1 }
        let isReserving = next.timesOvertaken > Self.timesOvertakenMax
        if isReserving { held.isReserved = true }
        let list = ReservedList(held: held, isReserved: isReserving)
        beside.find(size: size, { [plan = next.plan] in FoundChange(plan, basis) }) { [next] found in
            self.assumeIsolated { $0.goOn(next, found, size: size, list) }
        }
    }

    private func goOn(_ change: UnderwayChange, _ found: FoundChange, size: Int, _ list: ReservedList) {
        let carrying = carryOut(change, found)
        if carrying == .done {
            beside?.free(change.plan, size)
            // What was found from a head that there is no more, or was refused.
            beside?.free(found, size)
        }
        // Another life of the list has begun meanwhile, or it is over.
        guard list.isReserved, carrying == .done || heldLists[change.name] !== list.held else { return }
        release(list)
    }

    /// Carries out the requests that waited for a reserved list.
    func release(_ list: ReservedList) {
        list.held.isReserved = false
        let waiting = list.held.waiting
        list.held.waiting = []
        for (index, work) in waiting.enumerated() {
            // One of them has reserved the list again.
            if list.held.isReserved { return list.held.waiting.insert(contentsOf: waiting[index...], at: 0) }
            work(self)
        }
    }

    /// Finds the state that an undo or a redo restores. Nil for any other plan.
    /// - Parameter drafted: states of an uncommitted draft, with their steps.
    func past(
        _ plan: ChangePlan, _ held: HeldList, _ head: ListState, drafted: [(state: ListState, step: UndoStep?)] = []
    ) throws(StoreError) -> RestoredState? {
        guard case .undo(let target) = plan else { return nil }
        let path = undoPath(of: head, in: held, drafted: drafted)
        let (revision, step) = try restoredRevision(target, path, head)
        if let state = drafted.last(where: { $0.state.revision == revision })?.state
            ?? state(before: head, at: revision)
        {
            return RestoredState(state: state, step: step)
        }
        throw .noSuchRevision(head.name, revision, oldest: path.oldest, current: head.revision)
    }

    /// The revision that an undo or a redo restores.
    private func restoredRevision(
        _ target: UndoTarget, _ path: UndoPath, _ head: ListState
    ) throws(StoreError) -> (revision: Int, step: UndoStep?) {
        switch target {
        case .revision(let wanted):
            return (wanted, wanted >= path.oldest && wanted <= head.revision ? path.step(to: wanted) : nil)
        case .back(let count), .forward(let count):
            let isRedo = if case .forward = target { true } else { false }
            let (position, found) = isRedo ? path.forward(count) : path.back(count)
            guard found == count, let kept = path.revision(at: position) else {
                throw .nothingToUndo(head.name, isRedo: isRedo, wanted: count, found: found, current: head.revision)
            }
            return (kept, UndoStep(from: path.position, to: position))
        }
    }

    /// Returns the undo path of a head, from history and from changes that are not on disk yet.
    func undoPath(
        of head: ListState, in held: HeldList, drafted: [(state: ListState, step: UndoStep?)] = []
    ) -> UndoPath {
        let history = history(before: head, in: held)
        var steps = history?.undoSteps ?? [:]
        let underway = (inFlight?.changes ?? []) + gathering.changes
        var oldest = history?.oldest ?? (held.committed?.number == head.number ? held.committed?.revision : nil)
        for change in underway where change.state.number == head.number {
            oldest = oldest ?? change.state.revision
            if let step = change.revision?.undoStep { steps[change.state.revision] = step }
        }
        for (state, step) in drafted { if let step { steps[state.revision] = step } }
        return UndoPath(head: head.revision, oldest: oldest ?? head.revision, steps: steps)
    }

    /// Returns the history of the committed list behind a head.
    private func history(before head: ListState, in held: HeldList) -> History? {
        if let committed = held.committed, committed.number == head.number {
            trimHistory(of: held, now: clock.running)
            return held.history
        }
        // The list is on its way back, or to another name.
        if let deleted = deletions[head.number]?.committed { return deleted.history }
        return formerList(of: head)?.history
    }
}

/// Unchecked, because it is used on the store's queue alone.
struct ReservedList: @unchecked Sendable {
    let held: HeldList
    /// Whether this change has it to itself.
    let isReserved: Bool
}
