import Diffable
import Logging

/// A report of the connector about a shared list.
package struct Replication: Sendable {
    package var list: ListName
    package var epoch: String
    /// Whether the list no longer exists in etcd.
    package var isGone = false
    /// Whether this host leaves the list, which becomes an ordinary list.
    package var isLeft = false
    /// Batches of the log, in order. Known ones are skipped.
    package var batches: [[UInt8]] = []
    /// Nil for no change.
    package var isLive: Bool?
    /// The initial state of a new list. The configuration decides about missing attributes.
    package var beginning: SharedBeginning?
    /// A part of a complete state.
    package var part: Part?

    package struct Part: Sendable {
        package var text: [UInt8]
        /// The position of the state in the log. Nil except in the last part.
        package var end: SharedPosition?

        package init(text: [UInt8], end: SharedPosition?) { (self.text, self.end) = (text, end) }
    }

    package init(list: ListName, epoch: String) {
        self.list = list
        self.epoch = epoch
    }
}

/// The replica's position on disk.
package struct ReplicaReport: Sendable, Equatable {
    package let state: SharedState
    /// Whether everything that was next could be applied.
    package let fits: Bool
}

extension Store {
    /// Applies a report as far as it continues the replica. Creates the replica if it does not exist.
    package func replicate(_ told: Replication, completion: @escaping Completion<ReplicaReport>) {
        if let refusal { return completion(.failure(refusal)) }
        let name = told.list
        if let head = storedLists[name]?.head {
            guard storedLists[name]?.shared != nil, head.epoch == told.epoch else {
                return completion(.failure(.listExists(name)))
            }
        } else if told.isGone || told.isLeft {
            return completion(.failure(.noSuchList(name)))
        } else {
            do throws(StoreError) { try checkRoomForList(of: 0, by: .daemon) } catch {
                return completion(.failure(error))
            }
            makeReplica(of: name, epoch: told.epoch, beginning: told.beginning, answer: .settled {})
        }
        guard let held = storedLists[name], let shared = held.shared else { return }
        if told.isGone { return removeReplica(held, shared, completion: completion) }
        if told.isLeft { return leave(held, shared, completion: completion) }
        var fits = true
        if let part = told.part { fits = receive(part, held, shared) }
        fits = applyBatches(told.batches, held, shared) && fits
        change(held) { $0.buildNextBatch(&$1) }
        if let isLive = told.isLive {
            change(held) { $0.setLive(isLive, &$1) }
            // The list's own lease may have ended, and an earlier attempt to delete the list may have an unknown outcome.
            if isLive, let number = held.head?.number, leases[number]?.list != nil { scheduleSharedLeaseEnds() }
        }
        report(name, epoch: told.epoch, fits: fits, completion: completion)
    }

    private func report(
        _ name: ListName, epoch: String, fits: Bool, completion: @escaping Completion<ReplicaReport>
    ) {
        let answer = DeferredReply.settled {
            self.assumeIsolated { store in
                guard let held = store.storedLists[name], let shared = held.shared, held.head?.epoch == epoch,
                    let state = store.state(of: shared, held)
                else { return completion(.failure(.noSuchList(name))) }
                completion(.success(ReplicaReport(state: state, fits: fits)))
            }
        }
        self.answer(answer, about: name)
    }

    private func receive(_ part: Replication.Part, _ held: StoredList, _ shared: SharedList) -> Bool {
        shared.parts += part.text
        guard let end = part.end else { return true }
        let text = shared.parts
        shared.parts = []
        return adoptState(at: end, text, held, shared)
    }

    /// Applies batches. Returns false if one should have been applied but could not be.
    private func applyBatches(_ batches: [[UInt8]], _ held: StoredList, _ shared: SharedList) -> Bool {
        for text in batches {
            if let number = SharedBatch.number(of: text), number <= shared.machine.position.batch { continue }
            let next = shared.machine.position.following(text)
            do {
                let batch = try SharedBatch(text)
                switch shared.machine.arrival(of: batch.number, after: batch.after, upTo: next) {
                case .known: continue
                case .ahead: return true
                case .misfit:
                    throw SharedBatch.Unreadable(
                        description: "it does not follow the last batch that this host applied")
                case .own: change(held) { $0.advance(to: next, &$1) }
                case .next:
                    guard let head = held.head else { return true }
                    let rows = try rows(of: batch, on: head)
                    change(held) { $0.advance(to: next, &$1) }
                    for row in rows { commit(row, of: held, answer: .settled {}) }
                    commitPosition(of: held, shared)
                }
            } catch {
                logger.error(
                    "could not apply changes of a shared list from etcd; the list stays as it is on this host",
                    metadata: [
                        "list": "\(held.head?.name.description ?? "")", "batch": "\(next.batch)", "reason": "\(error)",
                    ])
                return false
            }
        }
        return true
    }

    /// The effect of another host's batch on the replica. Schemas and limits do not apply, because it is in the log already.
    private func rows(of batch: SharedBatch, on head: ListState) throws -> [DraftedRow] {
        var state = head
        let rows = try batch.rows.map { row in
            guard !row.operations.isEmpty else { return DraftedRow(row: row, made: nil, state: state) }
            let new = try state.snapshot.applying(row.operations, limits: .none)
            let revision = state.revision + 1
            state = state.moved(
                to: revision, new, lastReloadRevision: row.delivery == .reload ? revision : nil)
            return DraftedRow(
                row: row, made: ComputedChange(new: new, operations: row.operations, delivery: row.delivery),
                state: state)
        }
        guard state.revision == batch.revision else {
            throw SharedBatch.Unreadable(
                description: "it leads to revision \(state.revision) instead of \(batch.revision)")
        }
        return rows
    }

    // MARK: Replicas that come and go

    func makeReplica(
        of name: ListName, epoch: String, beginning: SharedBeginning?, by peer: Peer = .daemon, answer: DeferredReply
    ) {
        let state = ListState(name: name, epoch: epoch, durability: .durable, number: nextListNumber)
        nextListNumber += 1
        var access = accessRules.record(of: name, madeBy: peer, mode: nil)
        if let beginning { access = access.changed(by: beginning.access) }
        access.sharing = .beginning
        let leases = beginning?.lease.map { LeaseChange(lease: .shared($0), isOfList: true) }
        commit(ListChange(event: .created, state: state, leases: leases, access: access), answer: answer)
        if beginning?.lease.map(isOver) == true { scheduleSharedLeaseEnds() }
        let shared = SharedList(at: .beginning)
        storedLists[name]?.shared = shared
    }

    /// Deletes the replica as its owner would, so it can be undeleted as a list that is not shared.
    private func removeReplica(
        _ held: StoredList, _ shared: SharedList, completion: @escaping Completion<ReplicaReport>
    ) {
        guard let state = state(of: shared, held) else { return }
        delete(held, shared, answer: .settled { completion(.success(ReplicaReport(state: state, fits: true))) })
    }

    /// Replaces the replica by an ordinary list. It has a new epoch, because its next revisions are this host's own.
    private func leave(_ held: StoredList, _ shared: SharedList, completion: @escaping Completion<ReplicaReport>) {
        guard let head = held.head, let state = state(of: shared, held) else { return }
        var access = held.headAccess.record.numbered(as: held.headAccess.effective)
        (access.sharing, access.ownerName, access.groupName) = (nil, nil, nil)
        // Its followers continue with a `reset`.
        replacedLists.insert(head.number)
        delete(held, shared, keeping: .never, answer: .settled {})
        let list = RestoredList(name: head.name, snapshot: head.snapshot, access: access)
        _ = createRestored(list, origin: Origin(name: "left by this host"), by: .daemon)
        answer(.settled { completion(.success(ReplicaReport(state: state, fits: true))) }, about: head.name)
    }

    func delete(
        _ held: StoredList, _ shared: SharedList, keeping: DeletedListKeeping = .ifPossible, origin: Origin? = nil,
        answer: DeferredReply
    ) {
        guard let head = held.head else { return }
        endRequests(of: held)
        held.shared = nil
        // From now on the list is not shared, and owner and group are this host's numbers.
        var record = held.headAccess.record.resolved(by: accounts)
        (record.sharing, record.ownerName, record.groupName) = (nil, nil, nil)
        let left = leasesLeftBehind(by: head)
        commit(ListChange(event: .unchanged, state: head, leases: left, access: record), of: held, answer: .settled {})
        // These leases end if the list is undeleted.
        leasedLists[.leftBehind]?.remove(head.number)
        // A list with its own lease cannot be undeleted.
        let isLeased = leases[head.number]?.list != nil
        delete(head, keeping: isLeased ? nil : deletion(of: head, keeping: keeping, by: origin), answer: answer)
    }
}

// MARK: - Sharing and unsharing

struct SharedCreation {
    let name: ListName
    let epoch: String
    let beginning: SharedBeginning
    let existing: ExistingList
    let peer: Peer
    /// Does nothing once the request has timed out and been answered.
    var completion: Store.Completion<ListState>
}

struct SharedRemoval {
    let name: ListName
    let epoch: String
    let keeping: DeletedListKeeping
    let origin: Origin?
    /// A host that has to be absent. Nil for no condition.
    let absent: String?
    /// Does nothing once the request has timed out and been answered.
    var completion: Store.Completion<ListState>
}

extension Store {
    /// Creates a shared list, in etcd first.
    package func createSharedList(
        _ name: ListName, existing: ExistingList = .isError, lease: Lease? = nil, mode: AccessMode? = nil,
        by peer: Peer = .daemon, completion: @escaping Completion<ListState>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        let access: SharedAccess
        do throws(StoreError) {
            if let held = storedLists[name], let head = held.head {
                guard held.headAccess.rights(of: peer).contains(.read) else {
                    throw accessRules.creationDenial(name, peer)
                }
                if existing == .isKept, held.shared != nil {
                    return answer(.list(completion, .success(head)), about: name)
                }
                throw .listExists(name)
            }
            guard accessRules.mayCreate(name, peer) else { throw accessRules.creationDenial(name, peer) }
            let record = accessRules.record(of: name, madeBy: peer, mode: mode)
            let numbers = accessRules.access(of: name, record)
            try checkRoomForList(of: numbers.owner, by: peer)
            access = try sharedAccess(
                AccessRecord(owner: numbers.owner, group: numbers.group, mode: numbers.mode), of: name)
        } catch {
            return answer(.list(completion, .failure(error)), about: name, to: peer)
        }
        lease.map(useInSharedList)
        let beginning = SharedBeginning(access: access, lease: lease.map(holder))
        let creation = SharedCreation(
            name: name, epoch: Epoch.random(), beginning: beginning, existing: existing, peer: peer,
            completion: completion)
        let call = makeAwaitedCall(.creation(creation)) { .share(call: $0, name, epoch: creation.epoch, beginning) }
        if call == nil { completion(.failure(unreachable(name))) }
    }

    func end(_ creation: SharedCreation, _ outcome: SharingOutcome) {
        let (name, completion) = (creation.name, creation.completion)
        let held = storedLists[name]
        switch outcome {
        case .done:
            if let head = held?.head {
                // The connector reported the list before it answered the call.
                let isOurs = held?.shared != nil && head.epoch == creation.epoch
                let result: Result<ListState, StoreError> = isOurs ? .success(head) : .failure(.listExists(name))
                return answer(.list(completion, result), about: name)
            }
            let state = ListState(name: name, epoch: creation.epoch, durability: .durable, number: nextListNumber)
            makeReplica(
                of: name, epoch: creation.epoch, beginning: creation.beginning, by: creation.peer,
                answer: .list(completion, .success(state)))
            if let held = storedLists[name] { change(held) { $0.setLive(true, &$1) } }
        case .lost:
            let result: Result<ListState, StoreError>
            if creation.existing == .isKept, let head = held?.head, held?.shared != nil {
                result = .success(head)
            } else {
                result = .failure(.listExists(name))
            }
            answer(.list(completion, result), about: name)
        case .unreachable, .refused: completion(.failure(unreachable(name)))
        case .unknown: completion(.failure(.outcomeUnknown(name)))
        }
    }

    func removeSharedList(
        _ head: ListState, keeping: DeletedListKeeping, origin: Origin?, absent: String? = nil,
        completion: @escaping Completion<ListState>
    ) {
        let removal = SharedRemoval(
            name: head.name, epoch: head.epoch, keeping: keeping, origin: origin, absent: absent,
            completion: completion)
        let call = makeAwaitedCall(.removal(removal)) {
            .remove(call: $0, head.name, epoch: head.epoch, absent: absent)
        }
        if call == nil { completion(.failure(.unreachable(head.name))) }
    }

    func end(_ removal: SharedRemoval, _ outcome: SharingOutcome) {
        let (name, completion) = (removal.name, removal.completion)
        switch outcome {
        case .done, .lost:
            guard let held = storedLists[name], let head = held.head, let shared = held.shared,
                head.epoch == removal.epoch
            else { return completion(.failure(.noSuchList(name))) }
            delete(
                held, shared, keeping: removal.keeping, origin: removal.origin,
                answer: .list(completion, .success(head)))
        case .refused:
            // The host is present after all.
            if let host = removal.absent { engine.hosts?.insert(host) }
            completion(.failure(.unreachable(name)))
        case .unreachable: completion(.failure(unreachable(name)))
        case .unknown: completion(.failure(.outcomeUnknown(name)))
        }
    }
}
