import Diffable

extension Store {
    package func createList(
        _ name: ListName, durability: Durability, existing: ExistingList = .isError,
        completion: @escaping Completion<ListState>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        if let head = heldLists[name]?.head {
            switch existing {
            case .isAnswer: return answer(.list(completion, .success(head)), about: name)
            case .isError: return answer(.list(completion, .failure(.listExists(name))), about: name)
            }
        }
        guard numberOfHeads < limits.listsMax else {
            return answer(.list(completion, .failure(.tooManyLists(max: limits.listsMax))), about: name)
        }
        let state = ListState(
            name: name, epoch: Epoch.random(), durability: durability, number: nextListNumber)
        nextListNumber += 1
        commit(ListChange(event: .created, state: state), answer: .list(completion, .success(state)))
    }

    /// Answers the last state there was.
    package func deleteList(_ name: ListName, completion: @escaping Completion<ListState>) {
        if let refusal { return completion(.failure(refusal)) }
        guard let head = heldLists[name]?.head else {
            return answer(.list(completion, .failure(.noSuchList(name))), about: name)
        }
        commit(ListChange(event: .deleted, state: head), answer: .list(completion, .success(head)))
    }

    /// Applies the operations, all or none. `ifRevision` is the revision that they were made for.
    package func transact(
        _ name: ListName, _ operations: [Operation], ifRevision: Int? = nil, mode: TransactionMode = .commit,
        origin: Origin? = nil, completion: @escaping Completion<Outcome>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        do throws(StoreError) {
            let head = try head(of: name, ifRevision: ifRevision)
            let new: Snapshot
            do {
                new = try head.snapshot.applying(operations, limits: limits.snapshot)
            } catch {
                throw .transaction(name, error)
            }
            let difference = new.difference(from: head.snapshot, after: operations)
            move(
                head, to: new, by: difference, delivery: .difference, mode: mode, origin: origin,
                completion: completion)
        } catch {
            answer(.outcome(completion, .failure(error)), about: name)
        }
    }

    /// Makes the list what it was at an earlier revision, by one more transaction; at the one before the newest, if none
    /// is named. Undoing that again does what was undone.
    package func undo(
        _ name: ListName, to revision: Int? = nil, ifRevision: Int? = nil, mode: TransactionMode = .commit,
        origin: Origin? = nil, completion: @escaping Completion<Outcome>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        do throws(StoreError) {
            let head = try head(of: name, ifRevision: ifRevision)
            let revision = revision ?? head.revision - 1
            guard let state = state(before: head, at: revision) else {
                let oldest = heldLists[name]?.history.oldest ?? head.revision
                throw .noSuchRevision(name, revision, oldest: oldest, current: head.revision)
            }
            let difference = state.snapshot.difference(from: head.snapshot)
            move(
                head, to: state.snapshot, by: difference, delivery: .difference, mode: mode, origin: origin,
                completion: completion)
        } catch {
            answer(.outcome(completion, .failure(error)), about: name)
        }
    }

    /// Makes the list, or one section of it, what the target says, and finds the difference.
    package func apply(
        _ name: ListName, _ target: Target, delivery: Delivery = .difference, ifRevision: Int? = nil,
        mode: TransactionMode = .commit, origin: Origin? = nil, completion: @escaping Completion<Outcome>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        do throws(StoreError) {
            let head = try head(of: name, ifRevision: ifRevision)
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
            move(
                head, to: shared, by: difference, delivery: delivery, mode: mode, origin: origin,
                completion: completion)
        } catch {
            answer(.outcome(completion, .failure(error)), about: name)
        }
    }
}

// MARK: - Steps

extension Store {
    /// Why nothing is taken now, if so.
    private var refusal: StoreError? {
        switch condition {
        case .running: nil
        case .failed(let reason): .storageFailed(reason: reason)
        case .unreadable(let error): .unreadable(error)
        case .draining, .closing, .closed: .shuttingDown
        }
    }

    private func head(of name: ListName, ifRevision: Int?) throws(StoreError) -> ListState {
        guard let head = heldLists[name]?.head else { throw .noSuchList(name) }
        if let ifRevision, ifRevision != head.revision {
            throw .revisionMismatch(name, expected: ifRevision, current: head.revision)
        }
        return head
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
        _ head: ListState, to new: Snapshot, by operations: [Operation], delivery: Delivery, mode: TransactionMode,
        origin: Origin?, completion: @escaping Completion<Outcome>
    ) {
        guard !operations.isEmpty else {
            let outcome = Outcome(before: head, after: head, operations: [])
            return answer(.outcome(completion, .success(outcome)), about: head.name)
        }
        switch mode {
        case .dryRun:
            let outcome = Outcome(before: head, after: head.moved(to: head.revision, new), operations: operations)
            answer(.outcome(completion, .success(outcome)), about: head.name)
        case .commit:
            let revision = head.revision + 1
            let reload = delivery == .reload ? revision : nil
            let state = head.moved(to: revision, new, lastReloadRevision: reload)
            let outcome = Outcome(before: head, after: state, operations: operations)
            let note = Revision(number: revision, time: now(), operations: operations.count, origin: origin)
            commit(
                ListChange(event: .stepped(operations, delivery), state: state, revision: note),
                answer: .outcome(completion, .success(outcome)))
        }
    }
}
