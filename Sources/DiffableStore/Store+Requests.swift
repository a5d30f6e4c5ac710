import Diffable

extension Store {
    package func createList(
        _ name: ListName, durability: Durability, existing: ExistingList = .isError, lease: Lease? = nil,
        mode: AccessMode? = nil, by peer: Peer = .daemon, completion: @escaping Completion<ListState>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        if let held = storedLists[name], let head = held.head {
            guard held.headAccess.rights(of: peer).contains(.read) else {
                return answer(
                    .list(completion, .failure(accessRules.creationDenial(name, peer))), about: name, to: peer)
            }
            switch existing {
            case .isKept: return answer(.list(completion, .success(head)), about: name)
            case .isError: return answer(.list(completion, .failure(.listExists(name))), about: name)
            }
        }
        guard accessRules.mayCreate(name, peer) else {
            return answer(.list(completion, .failure(accessRules.creationDenial(name, peer))), about: name, to: peer)
        }
        let access = accessRules.record(of: name, madeBy: peer, mode: mode)
        do throws(StoreError) {
            try checkRoomForList(of: accessRules.access(of: name, access).owner, by: peer)
        } catch {
            return answer(.list(completion, .failure(error)), about: name)
        }
        let state = ListState(
            name: name, epoch: Epoch.random(), durability: durability, number: nextListNumber)
        nextListNumber += 1
        let leases = lease.map { LeaseChange(lease: $0, isOfList: true) }
        commit(
            ListChange(event: .created, state: state, leases: leases, access: access),
            answer: .list(completion, .success(state)))
    }

    /// Deletes a list and replies with its last state. With `ifRevision`, the list has to be at that revision.
    /// Depending on `keeping`, it can be undeleted for a while (`undeleteList`).
    package func deleteList(
        _ name: ListName, ifRevision: Int? = nil, keeping: DeletedListKeeping = .ifPossible, origin: Origin? = nil,
        by peer: Peer = .daemon,
        completion: @escaping Completion<ListState>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        let head: ListState
        do throws(StoreError) { head = try governedHead(of: name, by: peer, otherwise: .deletion) } catch {
            return answer(.list(completion, .failure(error)), about: name, to: peer)
        }
        if let ifRevision, ifRevision != head.revision {
            let error = StoreError.revisionMismatch(name, expected: ifRevision, current: head.revision)
            return answer(.list(completion, .failure(error)), about: name, to: peer)
        }
        let isShared = storedLists[name]?.shared != nil
        // Other hosts may have changed it, and only etcd has the newest revision.
        if isShared, ifRevision != nil {
            return answer(.list(completion, .failure(.notForShared(name, .deletionAtRevision))), about: name, to: peer)
        }
        // The deletion of an unchanged list loses nothing, and a leased list ends with its connection anyway.
        if keeping == .required, head.revision > 0, let loss = loss(of: head), loss != .leased {
            return answer(.list(completion, .failure(.notKept(name, loss))), about: name, to: peer)
        }
        if isShared {
            return removeSharedList(head, keeping: keeping, origin: origin, completion: completion)
        }
        let deletion = deletion(of: head, keeping: keeping, by: origin)
        delete(head, keeping: deletion, answer: .list(completion, .success(head)))
    }

    /// Applies the operations, all or none. With `ifRevision`, the list has to be at that revision. A request with a
    /// known `requestKey` gets its first reply again.
    @discardableResult
    package func transact(
        _ name: ListName, _ operations: [ListOperation], ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        lease: Lease? = nil, mode: TransactionMode = .commit, origin: Origin? = nil, by peer: Peer = .daemon,
        completion: @escaping Completion<Outcome>
    ) -> RequestProgress {
        let context = ChangeContext(ifRevision: ifRevision, lease: lease, mode: mode, origin: origin, peer: peer)
        return change(name, context, requestKey, isSummarized: false, .transact(operations), completion: completion) {
            RequestDigest.of(transact: operations)
        }
    }

    /// Undoes changes, redoes them, or restores a revision, in one new transaction.
    @discardableResult
    package func undo(
        _ name: ListName, _ target: UndoTarget = .back(1), ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        mode: TransactionMode = .commit, origin: Origin? = nil, by peer: Peer = .daemon,
        completion: @escaping Completion<Outcome>
    ) -> RequestProgress {
        let context = ChangeContext(ifRevision: ifRevision, mode: mode, origin: origin, peer: peer, needed: .all)
        return change(name, context, requestKey, isSummarized: true, .undo(target), completion: completion) {
            RequestDigest.of(undo: target)
        }
    }

    /// Replaces the list, or one section, with the target's state. Computes the diff.
    @discardableResult
    package func apply(
        _ name: ListName, _ target: Target, delivery: Delivery = .difference, ifRevision: Int? = nil,
        requestKey: RequestKey? = nil, lease: Lease? = nil, mode: TransactionMode = .commit, origin: Origin? = nil,
        by peer: Peer = .daemon, completion: @escaping Completion<Outcome>
    ) -> RequestProgress {
        let context = ChangeContext(ifRevision: ifRevision, lease: lease, mode: mode, origin: origin, peer: peer)
        return change(name, context, requestKey, isSummarized: true, .apply(target, delivery), completion: completion) {
            RequestDigest.of(apply: target, delivery: delivery)
        }
    }
}

// MARK: - Changes

extension Store {
    /// Why changes are refused at the moment. Nil if they are accepted.
    var refusal: StoreError? {
        switch condition {
        case .running: nil
        case .failed(let reason): .storageFailed(reason: reason)
        case .unreadable(let error): .unreadable(error)
        case .draining, .closing, .closed: .shuttingDown
        }
    }

    /// - Parameter deletion: nil if the list cannot be undeleted; its leases end too.
    func delete(_ head: ListState, keeping deletion: Deletion?, answer: DeferredReply) {
        let leases = deletion == nil ? leases[head.number].map { _ in LeaseChange(endsAll: true) } : nil
        commit(ListChange(event: .deleted(deletion), state: head, leases: leases), answer: answer)
    }

    func check(_ rights: Rights, _ head: ListState, _ context: ChangeContext) throws(StoreError) {
        if !rights.isSuperset(of: context.needed) {
            guard rights.contains(.read) else { throw .noSuchList(head.name) }
            throw .permissionDenied(head.name, context.needed == .ask ? .asking : .change)
        }
        let isReading = context.mode == .dryRun && !context.isForHandler || context.ifRevision != nil
        if !rights.contains(.read), isReading {
            throw .permissionDenied(head.name, .readingWhileWriteOnly)
        }
    }

    /// The list's state at an earlier revision: a committed state, or one that is not on disk yet.
    func state(before head: ListState, at revision: Int) -> ListState? {
        if revision == head.revision { return head }
        let underway = (inFlight?.changes ?? []) + gathering.changes
        if let change = underway.first(where: { $0.state.number == head.number && $0.state.revision == revision }) {
            return change.state
        }
        if let state = list(head.name, at: revision), state.number == head.number { return state }
        // The list is being undeleted or renamed.
        guard var history = deletions[head.number]?.committed?.history else {
            return formerList(of: head)?.committed.flatMap { list($0.name, at: revision) }
        }
        return history.state(at: revision)
    }

    /// The list under the name it still has on disk, if it is being renamed.
    func formerList(of head: ListState) -> StoredList? {
        let underway = (inFlight?.changes ?? []) + gathering.changes
        for change in underway where change.state.number == head.number {
            if case .undeleted(let formerName) = change.event, let held = storedLists[formerName],
                held.committed?.number == head.number
            {
                return held
            }
        }
        return nil
    }

    func dryRunOrCommit(
        _ held: StoredList, from head: ListState, by made: ComputedChange, _ context: ChangeContext, isWriteOnly: Bool,
        completion: @escaping Completion<Outcome>
    ) {
        switch context.mode {
        case .dryRun:
            let after = head.moved(to: head.revision, made.new)
            let outcome = Outcome(
                before: head, after: after, by: made, isWriteOnly: isWriteOnly,
                evaluation: context.isForHandler ? rememberEvaluation(made, of: head, in: held) : nil)
            answer(.outcome(completion, .success(outcome)), about: head.name)
        case .commit where made.operations.isEmpty:
            let outcome = Outcome(before: head, after: head, operations: [], isWriteOnly: isWriteOnly)
            let answer = DeferredReply.outcome(completion, .success(outcome))
            guard let request = context.request else { return self.answer(answer, about: head.name) }
            let result = result(of: request, outcome, at: clock.running)
            commit(ListChange(event: .unchanged, state: head, result: result), of: held, answer: answer)
        case .commit:
            let made = made.withUndoStep { undoPath(of: head, in: held) }
            let revision = head.revision + 1
            let reload = made.delivery == .reload ? revision : nil
            let state = head.moved(to: revision, made.new, lastReloadRevision: reload)
            let outcome = Outcome(before: head, after: state, by: made, isWriteOnly: isWriteOnly)
            let moment = clock.now
            commit(
                ListChange(
                    from: head, to: state, by: made, at: moment, origin: context.origin,
                    result: context.request.map { result(of: $0, outcome, at: moment.running) },
                    leases: leaseChange(from: head, by: made, context.lease)),
                of: held, answer: .outcome(completion, .success(outcome)))
        }
    }

    /// Costs nothing if neither the request nor the list has a lease.
    private func leaseChange(from head: ListState, by made: ComputedChange, _ lease: Lease?) -> LeaseChange? {
        let leases = leases[head.number]
        guard lease != nil || leases != nil else { return nil }
        if let found = made.consequences?.leases, found.isComputed(for: lease, leases) { return found.change }
        return LeaseChange(made.operations, from: head.snapshot, to: made.new, lease: lease, leases: leases)
    }
}
