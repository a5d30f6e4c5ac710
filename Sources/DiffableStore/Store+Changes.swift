import Diffable
import DiffableJSON

// Changing a list. A small change is one step on the queue. A large one is computed in the background from the current
// head, and computed again if the head has changed by then. A change that is overtaken too often reserves the list for
// its last attempt: other changes of the list then wait, in order.

/// The parameters of a request other than the change itself.
struct ChangeContext: Sendable {
    var ifRevision: Int?
    var request: KeyedRequest?
    var lease: Lease?
    var mode: TransactionMode
    var origin: Origin?
    var peer: Peer
    var needed = Rights.write
    /// Whether a dry run's result goes to the list's handler and not to the peer.
    var isForHandler = false
    /// A result that was computed earlier and may still be valid.
    var known: CachedChange?
}

/// A change that was computed earlier, with the head and the schemas it was computed for.
struct CachedChange: Sendable {
    let made: ComputedChange
    let head: ListState
    let schemas: ListSchemas?
}

/// Whether a request has been carried out.
package enum RequestProgress: Sendable {
    /// The head already contains the change, the change has its place in the list's order, or it was refused.
    case done
    /// The completion is called later. Further requests of the same client have to wait until then.
    case underway
}

struct PendingChange: Sendable {
    let name: ListName
    var context: ChangeContext
    let plan: ChangePlan
    let completion: Store.Completion<Outcome>
    /// The number of times the head changed while this change was being computed.
    var timesOvertaken = 0
}

/// The result of a computation in the background, with its inputs.
struct BackgroundChange: Sendable {
    let basis: ChangePlan.BaseState
    let change: Result<ComputedChange, StoreError>

    init(_ plan: ChangePlan, _ basis: ChangePlan.BaseState) {
        self.basis = basis
        change = Result { () throws(StoreError) in try plan.computeChange(from: basis).withConsequences(from: basis) }
    }
}

extension Store {
    /// The number of times a change may be overtaken before it reserves the list.
    static let timesOvertakenMax = 1

    /// Answers a repeated request with its first result, and carries out any other request.
    func change(
        _ name: ListName, _ context: ChangeContext, _ plan: ChangePlan, completion: @escaping Completion<Outcome>
    ) -> RequestProgress {
        let change = PendingChange(name: name, context: context, plan: plan, completion: completion)
        if let held = storedLists[name], held.isReserved {
            held.waiting.append { store in _ = store.carryOut(change, nil) }
            return .underway
        }
        return carryOut(change, nil)
    }

    /// Does the same for a request that may have a key. A long request's digest is computed in the background first.
    func change(
        _ name: ListName, _ context: ChangeContext, _ key: RequestKey?, isSummarized: Bool, _ plan: ChangePlan,
        completion: @escaping Completion<Outcome>, digest: @escaping @Sendable () -> Int64
    ) -> RequestProgress {
        guard refusal == nil, let key else { return change(name, context, plan, completion: completion) }
        let keyed: @Sendable (Int64) -> ChangeContext = { digest in
            var context = context
            context.request = KeyedRequest(key: key, digest: digest, isSummarized: isSummarized)
            return context
        }
        let size = background.map { plan.sizeOfRequest(max: $0.sizeMax) } ?? 0
        guard let background, size > background.sizeMax else {
            return change(name, keyed(digest()), plan, completion: completion)
        }
        background.compute(size: size, digest) { digest in
            self.assumeIsolated { _ = $0.change(name, keyed(digest), plan, completion: completion) }
        }
        return .underway
    }

    private func carryOut(_ change: PendingChange, _ found: BackgroundChange?) -> RequestProgress {
        if let refusal {
            change.completion(.failure(refusal))
            return .done
        }
        let (name, context) = (change.name, change.context)
        var isWriteOnly = false
        do throws(StoreError) {
            guard let held = storedLists[name], let head = held.head else { throw .noSuchList(name) }
            let rights = held.headAccess.rights(of: context.peer)
            isWriteOnly = !rights.contains(.read)
            // Rights are in a shared list's log like everything else, so the log decides about a peer that can read the list.
            let isDecidedLater = held.shared != nil && context.mode == .commit && !isWriteOnly
            if rights != .all, !isDecidedLater { try check(rights, head, context) }
            if let source = held.headAccess.effective.source, context.mode == .commit,
                !context.peer.mirrored.contains(name)
            {
                throw .permissionDenied(name, .mirrored(source))
            }
            // A dry run of a shared list uses this host's copy.
            if let shared = held.shared, context.mode == .commit {
                context.lease.map(useInSharedList)
                enqueue(.change(change), of: held, shared)
                // The change already has its place in the order of requests for this list.
                return .done
            }
            if let request = context.request, context.mode == .commit || context.isForHandler,
                let first = try firstResult(of: request, on: head)
            {
                let outcome = Outcome(
                    repeating: first, of: head, isWriteOnly: isWriteOnly,
                    undoStep: undoPath(of: head, in: held).steps[first.revision])
                answer(.outcome(change.completion, .success(outcome)), about: name)
                return .done
            }
            if let expected = context.ifRevision, expected != head.revision {
                throw .revisionMismatch(name, expected: expected, current: head.revision)
            }
            guard let made = try computedChange(change, held, head, found) else { return .underway }
            try checkRoom(for: made.new, from: head, in: held, by: context.peer)
            dryRunOrCommit(held, from: head, by: made, context, isWriteOnly: isWriteOnly, completion: change.completion)
        } catch {
            let error = isWriteOnly ? error.withoutContents : error
            answer(.outcome(change.completion, .failure(error)), about: name, to: context.peer)
        }
        return .done
    }

    /// Nil while the change is being computed in the background.
    private func computedChange(
        _ change: PendingChange, _ held: StoredList, _ head: ListState, _ found: BackgroundChange?
    ) throws(StoreError) -> ComputedChange? {
        if let known = change.context.known, known.head === head, known.schemas === held.headSchemas {
            return known.made
        }
        if let found, found.basis.head === head, found.basis.schemas === held.headSchemas {
            return try found.change.get()
        }
        if case .undo(let target) = change.plan {
            let restored = try? restoredRevision(target, undoPath(of: head, in: held), head)
            let resume: @Sendable () -> Void = { self.assumeIsolated { _ = $0.carryOut(change, nil) } }
            guard unpackHistory(of: head.name, for: restored.map { [$0.revision] } ?? [], then: resume) else {
                return nil
            }
        }
        let basis = ChangePlan.BaseState(
            head: head, schemas: held.headSchemas, past: try stateToRestore(change.plan, held, head),
            limits: limits.snapshot,
            lease: change.context.lease, leases: leases[head.number])
        if let background {
            let items = change.plan.size(from: head.snapshot, past: basis.past?.state.snapshot, max: background.sizeMax)
            let size = held.work(ofChanging: items)
            if size > background.sizeMax {
                computeInBackground(change, basis, size: size, isOvertaken: found != nil, in: held, background)
                return nil
            }
        }
        return try change.plan.computeChange(from: basis)
    }

    private func computeInBackground(
        _ change: PendingChange, _ basis: ChangePlan.BaseState, size: Int, isOvertaken: Bool, in held: StoredList,
        _ background: BackgroundWork
    ) {
        var next = change
        if isOvertaken { next.timesOvertaken += 1 }
        let isReserving = next.timesOvertaken > Self.timesOvertakenMax
        if isReserving { held.isReserved = true }
        let list = ReservedList(held: held, isReserved: isReserving)
        background.compute(size: size, { [plan = next.plan] in BackgroundChange(plan, basis) }) { [next] found in
            self.assumeIsolated { $0.finishComputedChange(next, found, size: size, list) }
        }
    }

    private func finishComputedChange(
        _ change: PendingChange, _ found: BackgroundChange, size: Int, _ list: ReservedList
    ) {
        let progress = carryOut(change, found)
        if progress == .done {
            background?.free(change.plan, size)
            // The result may hold a state that is no longer the head, or belong to a refused change.
            background?.free(found, size)
        }
        // If the list was deleted or created again in the meantime, its requests no longer wait for this change.
        guard list.isReserved, progress == .done || storedLists[change.name] !== list.held else { return }
        release(list)
    }

    func release(_ list: ReservedList) {
        list.held.isReserved = false
        let waiting = list.held.waiting
        list.held.waiting = []
        for (index, work) in waiting.enumerated() {
            // A waiting request may have reserved the list again.
            if list.held.isReserved { return list.held.waiting.insert(contentsOf: waiting[index...], at: 0) }
            work(self)
        }
    }
}

/// Unchecked, because it is used only on the store's queue.
struct ReservedList: @unchecked Sendable {
    let held: StoredList
    let isReserved: Bool
}
