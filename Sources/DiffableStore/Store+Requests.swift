import Diffable

extension Store {
    package func createList(
        _ name: ListName, durability: Durability, existing: ExistingList = .isError, lease: Lease? = nil,
        mode: AccessMode? = nil, by peer: Peer = .daemon, completion: @escaping Completion<ListState>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        if let held = heldLists[name], let head = held.head {
            guard held.headAccess.effective.rights(of: peer).contains(.read) else {
                return answer(.list(completion, .failure(.permissionDenied(name, .creation))), about: name, to: peer)
            }
            switch existing {
            case .isAnswer: return answer(.list(completion, .success(head)), about: name)
            case .isError: return answer(.list(completion, .failure(.listExists(name))), about: name)
            }
        }
        guard accessRules.mayCreate(name, peer) else {
            return answer(.list(completion, .failure(.permissionDenied(name, .creation))), about: name, to: peer)
        }
        guard numberOfHeads < limits.listsMax else {
            return answer(.list(completion, .failure(.tooManyLists(max: limits.listsMax))), about: name)
        }
        let state = ListState(
            name: name, epoch: Epoch.random(), durability: durability, number: nextListNumber)
        nextListNumber += 1
        let leases = lease.map { LeaseChange(lease: $0, isOfList: true) }
        let access = accessRules.record(of: name, madeBy: peer, mode: mode)
        commit(
            ListChange(event: .created, state: state, leases: leases, access: access),
            answer: .list(completion, .success(state)))
    }

    /// Answers the last state there was.
    package func deleteList(_ name: ListName, by peer: Peer = .daemon, completion: @escaping Completion<ListState>) {
        if let refusal { return completion(.failure(refusal)) }
        let head: ListState
        do throws(StoreError) { head = try governedHead(of: name, by: peer, otherwise: .deletion) } catch {
            return answer(.list(completion, .failure(error)), about: name, to: peer)
        }
        delete(head, answer: .list(completion, .success(head)))
    }

    /// Applies the operations, all or none. `ifRevision` is the revision that they were made for; a request whose
    /// `requestKey` came before is answered as it was then.
    package func transact(
        _ name: ListName, _ operations: [Operation], ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        lease: Lease? = nil, mode: TransactionMode = .commit, origin: Origin? = nil, by peer: Peer = .daemon,
        completion: @escaping Completion<Outcome>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        let request = requestKey.map {
            KeyedRequest(key: $0, digest: RequestDigest.of(transact: operations), isSummarized: false)
        }
        let terms = Terms(
            ifRevision: ifRevision, request: request, lease: lease, mode: mode, origin: origin, peer: peer)
        change(name, terms, completion: completion) { head throws(StoreError) in
            let new: Snapshot
            do throws(TransactionError) {
                new = try head.snapshot.applying(operations, limits: limits.snapshot)
            } catch {
                throw .transaction(name, error)
            }
            return Step(new: new, operations: new.difference(from: head.snapshot, after: operations))
        }
    }

    /// Makes the list what it was at an earlier revision, by one more transaction; at the one before the newest, if none
    /// is named. Undoing that again does what was undone.
    package func undo(
        _ name: ListName, to revision: Int? = nil, ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        mode: TransactionMode = .commit, origin: Origin? = nil, by peer: Peer = .daemon,
        completion: @escaping Completion<Outcome>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        let request = requestKey.map {
            KeyedRequest(key: $0, digest: RequestDigest.of(undoTo: revision), isSummarized: true)
        }
        let terms = Terms(
            ifRevision: ifRevision, request: request, mode: mode, origin: origin, peer: peer, needed: .all)
        change(name, terms, completion: completion) { head throws(StoreError) in
            let revision = revision ?? head.revision - 1
            guard let state = state(before: head, at: revision) else {
                let oldest = heldLists[name]?.history.oldest ?? head.revision
                throw .noSuchRevision(name, revision, oldest: oldest, current: head.revision)
            }
            return Step(new: state.snapshot, operations: state.snapshot.difference(from: head.snapshot))
        }
    }

    /// Makes the list, or one section of it, what the target says, and finds the difference.
    package func apply(
        _ name: ListName, _ target: Target, delivery: Delivery = .difference, ifRevision: Int? = nil,
        requestKey: RequestKey? = nil, lease: Lease? = nil, mode: TransactionMode = .commit, origin: Origin? = nil,
        by peer: Peer = .daemon, completion: @escaping Completion<Outcome>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        let request = requestKey.map {
            KeyedRequest(
                key: $0, digest: RequestDigest.of(apply: target, delivery: delivery), isSummarized: true)
        }
        let terms = Terms(
            ifRevision: ifRevision, request: request, lease: lease, mode: mode, origin: origin, peer: peer)
        change(name, terms, completion: completion) { head throws(StoreError) in
            let new: Snapshot
            do throws(TargetError) {
                new = try target.snapshot(from: head.snapshot, limits: limits.snapshot)
            } catch {
                switch error {
                case .state(.duplicateItem(let item)):
                    if let repetition = target.repetition(of: item) { throw .repetition(name, repetition) }
                    throw .operation(name, .duplicateItem(item))
                case .state(let error): throw .operation(name, error)
                case .transaction(let error): throw .transaction(name, error)
                }
            }
            let difference = new.difference(from: head.snapshot)
            let shared = new.sharing(with: head.snapshot, by: difference)
            return Step(new: shared, operations: difference, delivery: delivery)
        }
    }
}

// MARK: - Steps

extension Store {
    /// Why nothing is taken now, if so.
    var refusal: StoreError? {
        switch condition {
        case .running: nil
        case .failed(let reason): .storageFailed(reason: reason)
        case .unreadable(let error): .unreadable(error)
        case .draining, .closing, .closed: .shuttingDown
        }
    }

    /// With all leases of it.
    func delete(_ head: ListState, answer: Answer) {
        let leases = leases[head.number].map { _ in LeaseChange(endsAll: true) }
        commit(ListChange(event: .deleted, state: head, leases: leases), answer: answer)
    }

    /// What a request says beside the change that it asks for.
    private struct Terms {
        var ifRevision: Int?
        var request: KeyedRequest?
        var lease: Lease?
        var mode: TransactionMode
        var origin: Origin?
        var peer: Peer
        /// Who has not all of it is refused.
        var needed = Rights.write
    }

    /// Where a change leads, and how.
    private struct Step {
        var new: Snapshot
        /// The canonical difference.
        var operations: [Operation]
        var delivery = Delivery.difference
    }

    /// Of somebody who may not do everything with the list.
    private func check(_ rights: Rights, _ head: ListState, _ terms: Terms) throws(StoreError) {
        if !rights.isSuperset(of: terms.needed) {
            throw rights.contains(.read) ? .permissionDenied(head.name, .change) : .noSuchList(head.name)
        }
        if !rights.contains(.read), terms.mode == .dryRun || terms.ifRevision != nil {
            throw .permissionDenied(head.name, .lookingWhileBlind)
        }
    }

    /// Answers a request that came before as it was answered then, and makes the step of any other.
    private func change(
        _ name: ListName, _ terms: Terms, completion: @escaping Completion<Outcome>,
        _ step: (ListState) throws(StoreError) -> Step
    ) {
        var isBlind = false
        do throws(StoreError) {
            guard let held = heldLists[name], let head = held.head else { throw .noSuchList(name) }
            let rights = held.headAccess.effective.rights(of: terms.peer)
            isBlind = !rights.contains(.read)
            if rights != .all { try check(rights, head, terms) }
            if let request = terms.request, terms.mode == .commit, let first = try firstResult(of: request, on: head) {
                return answer(
                    .outcome(completion, .success(Outcome(repeating: first, of: head, isBlind: isBlind))), about: name)
            }
            if let expected = terms.ifRevision, expected != head.revision {
                throw .revisionMismatch(name, expected: expected, current: head.revision)
            }
            move(held, from: head, by: try step(head), terms, isBlind: isBlind, completion: completion)
        } catch {
            let error = isBlind ? error.blinded : error
            answer(.outcome(completion, .failure(error)), about: name, to: terms.peer)
        }
    }

    /// The list as it was before its head: committed, or on its way there.
    private func state(before head: ListState, at revision: Int) -> ListState? {
        if revision == head.revision { return head }
        let underway = (inFlight?.changes ?? []) + gathering.changes
        if let change = underway.first(where: { $0.state.number == head.number && $0.state.revision == revision }) {
            return change.state
        }
        return list(head.name, at: revision).flatMap { $0.number == head.number ? $0 : nil }
    }

    private func move(
        _ held: HeldList, from head: ListState, by step: Step, _ terms: Terms, isBlind: Bool,
        completion: @escaping Completion<Outcome>
    ) {
        switch terms.mode {
        case .dryRun:
            let after = head.moved(to: head.revision, step.new)
            let outcome = Outcome(before: head, after: after, operations: step.operations)
            answer(.outcome(completion, .success(outcome)), about: head.name)
        case .commit where step.operations.isEmpty:
            let outcome = Outcome(before: head, after: head, operations: [], isBlind: isBlind)
            let answer = Answer.outcome(completion, .success(outcome))
            guard let request = terms.request else { return self.answer(answer, about: head.name) }
            let result = result(of: request, outcome, at: now())
            commit(ListChange(event: .unchanged, state: head, result: result), of: held, answer: answer)
        case .commit:
            let revision = revision(after: head)
            let reload = step.delivery == .reload ? revision : nil
            let state = head.moved(to: revision, step.new, lastReloadRevision: reload)
            let outcome = Outcome(before: head, after: state, operations: step.operations, isBlind: isBlind)
            let time = now()
            commit(
                ListChange(
                    from: head, to: state, by: step.operations, step.delivery, at: time, origin: terms.origin,
                    result: terms.request.map { result(of: $0, outcome, at: time) },
                    leases: leaseChange(from: head, by: step, terms.lease)),
                of: held, answer: .outcome(completion, .success(outcome)))
        }
    }

    private func revision(after head: ListState) -> Int {
        #if DEBUG
            if PlantedFault.current == .reusesRevision, head.revision % 10 == 9,
                gathering.changes.last?.state.number == head.number
            {
                return head.revision
            }
        #endif
        return head.revision + 1
    }

    /// Nothing is looked at when nothing can be leased.
    private func leaseChange(from head: ListState, by step: Step, _ lease: Lease?) -> LeaseChange? {
        let leases = leases[head.number]
        guard lease != nil || leases != nil else { return nil }
        return LeaseChange(step.operations, from: head.snapshot, to: step.new, lease: lease, leases: leases)
    }
}
