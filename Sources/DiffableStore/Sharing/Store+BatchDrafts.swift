import DequeModule
import Diffable
import DiffableJSON

// Building a batch from requests for a shared list, and committing it as the list's head.

extension Store {
    func beginDraft(of requests: [SharingMachine.RequestNumber], for held: StoredList, _ shared: SharedList) {
        guard let head = held.head else { preconditionFailure("a shared list that is changed has a head") }
        engine.lastDraft += 1
        shared.draft = BatchDraft(
            number: engine.lastDraft, position: shared.machine.position, head: head, access: held.headAccess, requests)
        continueDraft(held, shared, nil)
    }

    enum DraftProgress {
        case done
        /// The batch has no room for the request.
        case full
        /// The change is being computed in the background.
        case underway
    }

    private func continueDraft(_ held: StoredList, _ shared: SharedList, _ found: BackgroundChange?) {
        guard var draft = shared.draft else { return }
        var found = found
        while let number = draft.pending.first {
            switch add(number, to: &draft, held, shared, found) {
            case .done: draft.pending.removeFirst()
            case .full:
                draft.built.rest = Array(draft.pending)
                draft.pending.removeAll()
            case .underway: return shared.draft = draft
            }
            found = nil
        }
        finish(draft, held, shared)
    }

    private func finish(_ finished: BatchDraft, _ held: StoredList, _ shared: SharedList) {
        var draft = finished
        if !draft.rows.isEmpty {
            let text = SharedBatch.text(
                version: draft.rows.map(\.row.version).max() ?? 1,
                after: draft.position, revision: draft.head.revision, host: engine.host, rows: draft.text,
                number: engine.newBatchNumber())
            draft.text = ByteWriter()
            draft.text.append(text)
            draft.built.next = draft.position.following(text)
        }
        shared.draft = draft.rows.isEmpty ? nil : draft
        let built = draft.built
        change(held) { $0.finishBuilding(built, &$1) }
    }

    private func add(
        _ number: SharingMachine.RequestNumber, to draft: inout BatchDraft, _ held: StoredList, _ shared: SharedList,
        _ found: BackgroundChange?
    ) -> DraftProgress {
        // A row that requires hosts to be absent has a batch of its own, because it may be refused.
        if !draft.absent.isEmpty { return .full }
        switch shared.requests[number] {
        case nil: return .done
        case .leaseEnd: return addLeaseEnds(number, to: &draft, shared)
        case .confirmation, .arrival: draft.built.resting.append(number)
        case .change(let change):
            let isWriteOnly = !draft.access.rights(of: change.context.peer).contains(.read)
            do throws(StoreError) {
                return try add(change, number, to: &draft, held, shared, found, isWriteOnly: isWriteOnly)
            } catch {
                let error = isWriteOnly ? error.withoutContents : error
                shared.results[number] = .outcome(change.completion, .failure(error))
                draft.built.resting.append(number)
            }
        case .access(let change):
            do throws(StoreError) {
                return try add(change, number, to: &draft, shared)
            } catch {
                shared.results[number] = .access(change.completion, .failure(error))
                draft.built.resting.append(number)
            }
        }
        return .done
    }

    private func add(
        _ change: PendingChange, _ number: SharingMachine.RequestNumber, to draft: inout BatchDraft, _ held: StoredList,
        _ shared: SharedList, _ found: BackgroundChange?, isWriteOnly: Bool
    ) throws(StoreError) -> DraftProgress {
        let (head, context) = (draft.head, change.context)
        let rights = draft.access.rights(of: context.peer)
        if rights != .all { try check(rights, head, context) }
        if let request = context.request, let first = try firstResult(of: request, in: draft) {
            let outcome = Outcome(
                repeating: first.result, of: head, isWriteOnly: isWriteOnly,
                undoStep: undoPath(of: head, in: held, drafted: draft.states).steps[first.result.revision])
            if first.isInDraft {
                addResting(number, .outcome(change.completion, .success(outcome)), in: &draft, shared)
            } else {
                shared.requests[number] = nil
                shared.machine.forget(number)
                answer(.outcome(change.completionInLog, .success(outcome)), about: change.name)
            }
            return .done
        }
        if let expected = context.ifRevision, expected != head.revision {
            throw .revisionMismatch(change.name, expected: expected, current: head.revision)
        }
        guard let made = try computedChange(change, head, draft, held, shared, found) else { return .underway }
        try checkRoom(for: made.new, from: head, in: held, by: context.peer)
        if made.operations.isEmpty, context.request == nil {
            let outcome = Outcome(before: head, after: head, operations: [], isWriteOnly: isWriteOnly)
            addResting(number, .outcome(change.completion, .success(outcome)), in: &draft, shared)
            return .done
        }
        let drafted = draft.states
        return try append(
            made.withUndoStep { undoPath(of: head, in: held, drafted: drafted) }, of: change, number, to: &draft,
            isWriteOnly: isWriteOnly)
    }

    func addResting(
        _ number: SharingMachine.RequestNumber, _ reply: DeferredReply, in draft: inout BatchDraft, _ shared: SharedList
    ) {
        shared.results[number] = reply
        draft.built.resting.append(number)
    }

    private func firstResult(
        of request: KeyedRequest, in draft: BatchDraft
    ) throws(StoreError) -> (result: FirstResult, isInDraft: Bool)? {
        guard let first = draft.keys[request.key] else {
            return try firstResult(of: request, on: draft.head).map { ($0, false) }
        }
        guard first.digest == request.digest else { throw .requestKeyReused(draft.head.name, request.key) }
        return (first, true)
    }

    /// Nil while the change is being computed in the background.
    private func computedChange(
        _ change: PendingChange, _ head: ListState, _ draft: BatchDraft, _ held: StoredList, _ shared: SharedList,
        _ found: BackgroundChange?
    ) throws(StoreError) -> ComputedChange? {
        if let known = change.context.known, known.head === head, known.schemas === held.headSchemas {
            return known.made
        }
        if let found { return try found.change.get() }
        let basis = ChangePlan.BaseState(
            head: head, schemas: held.headSchemas,
            past: try stateToRestore(change.plan, held, head, drafted: draft.states),
            limits: limits.snapshot)
        guard let background else { return try change.plan.computeChange(from: basis) }
        let items = change.plan.size(from: head.snapshot, past: basis.past?.state.snapshot, max: background.sizeMax)
        let size = held.work(ofChanging: items)
        guard size > background.sizeMax else { return try change.plan.computeChange(from: basis) }
        let work: @Sendable () -> BackgroundChange = { [plan = change.plan] in BackgroundChange(plan, basis) }
        background.compute(size: size, work) { [number = draft.number, name = change.name] found in
            self.assumeIsolated { store in
                guard let held = store.storedLists[name], let shared = held.shared, shared.draft?.number == number
                else {
                    return
                }
                store.continueDraft(held, shared, found)
            }
        }
        return nil
    }

    private func append(
        _ made: ComputedChange, of change: PendingChange, _ number: SharingMachine.RequestNumber,
        to draft: inout BatchDraft, isWriteOnly: Bool
    ) throws(StoreError) -> DraftProgress {
        let (head, context) = (draft.head, change.context)
        let isChange = !made.operations.isEmpty
        let revision = head.revision + (isChange ? 1 : 0)
        let reload = made.delivery == .reload && isChange ? revision : nil
        let state = isChange ? head.moved(to: revision, made.new, lastReloadRevision: reload) : head
        let outcome = Outcome(before: head, after: state, by: made, isWriteOnly: isWriteOnly)
        let moment = clock.now
        var row = SharedRow(
            operations: made.operations, delivery: made.delivery, time: moment.timeOfDay.milliseconds,
            origin: context.origin.map { $0.named(on: engine.host) })
        row.request = context.request.map {
            SharedRow.KeyedResult(key: $0.key, digest: $0.digest, summary: $0.isSummarized ? outcome.summary : nil)
        }
        row.undoStep = made.undoStep
        row.lease = context.lease.map(holder)
        let drafted = DraftedRow(
            row: row, made: isChange ? made : nil, state: state,
            request: (number, .outcome(change.completionInLog, .success(outcome))))
        guard try append(drafted, to: &draft) else { return .full }
        if let request = context.request {
            draft.keys[request.key] = result(of: request, outcome, at: moment.running)
        }
        return .done
    }

    /// Appends a row. Returns false if the batch has no room for it.
    func append(_ drafted: DraftedRow, to draft: inout BatchDraft) throws(StoreError) -> Bool {
        let length = draft.text.count
        if length > 0 { draft.text.append(byte: UInt8(ascii: ",")) }
        let start = draft.text.count
        drafted.row.write(into: &draft.text)
        if draft.text.count - start > BatchDraft.rowLengthMax {
            draft.text.truncate(to: length)
            throw .sharedChangeTooLong(draft.head.name, max: BatchDraft.rowLengthMax)
        }
        if length > 0, draft.text.count > BatchDraft.lengthMax {
            draft.text.truncate(to: length)
            return false
        }
        draft.rows.append(drafted)
        if let number = drafted.request?.number { draft.built.requests.append(number) }
        draft.head = drafted.state
        return true
    }

    // MARK: What is in the log

    /// Commits the draft, which is the next batch of the log.
    func commitDraft(of held: StoredList, _ shared: SharedList) {
        guard let draft = shared.draft else { preconditionFailure("a batch that is committed was made") }
        shared.draft = nil
        engine.isFull = false
        statistics.batches += 1
        for row in draft.rows {
            if let number = row.request?.number, number == shared.leaseEnd {
                shared.leaseEnd = nil
                // One batch may have had too little room for all ends of leases.
                scheduleSharedLeaseEnds()
            }
            guard let (number, reply) = row.request, shared.requests.removeValue(forKey: number) != nil else {
                commit(row, of: held, answer: .settled {})
                continue
            }
            commit(row, of: held, answer: reply)
        }
        commitPosition(of: held, shared)
    }

    func commit(_ row: DraftedRow, of held: StoredList, answer: DeferredReply) {
        guard let head = held.head else { return }
        let moment = Moment(timeOfDay: Timestamp(milliseconds: row.row.time), running: clock.running)
        let result = row.row.request.map { request in
            FirstResult(
                key: request.key, digest: request.digest, number: nextResultNumber(of: head),
                revision: row.state.revision, isChanged: row.made != nil, summary: request.summary,
                time: moment.running)
        }
        let leases = leaseChange(by: row, from: head)
        // The lease may have ended before its row reached the log.
        if row.row.lease.map(isOver) == true { scheduleSharedLeaseEnds() }
        let access = row.row.access.map { held.headAccess.record.changed(by: $0) }
        guard var made = row.made else {
            return commit(
                ListChange(event: .unchanged, state: head, result: result, leases: leases, access: access), of: held,
                answer: answer)
        }
        made.undoStep = row.row.undoStep
        commit(
            ListChange(
                from: head, to: row.state, by: made, at: moment, origin: row.row.origin, result: result, leases: leases),
            of: held, answer: answer)
    }

    /// Commits the replica's position, in the same commit group as the batch, because one step of the queue commits both.
    func commitPosition(of held: StoredList, _ shared: SharedList) {
        guard let head = held.head else { return }
        var record = held.headAccess.record
        record.sharing = shared.machine.position
        commit(ListChange(event: .unchanged, state: head, access: record), of: held, answer: .settled {})
    }
}

extension PendingChange {
    /// For a change in the log: a full disk here does not undo it, so its outcome is reported as unknown.
    fileprivate var completionInLog: Store.Completion<Outcome> {
        { [completion, name] result in
            if case .failure(.noSpace) = result { return completion(.failure(.outcomeUnknown(name))) }
            completion(result)
        }
    }
}

extension Origin {
    /// Appends the host to the name, because process and user numbers mean little on other hosts.
    func named(on host: String) -> Origin {
        if host.isEmpty { return self }
        var origin = self
        origin.name = "\(name ?? "")@\(host)"
        return origin
    }
}
