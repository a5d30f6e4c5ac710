import Diffable

// The access of a shared list is in its log, by name and in order with its changes, so a revoked right no longer
// applies to any later change on any host. Reads are decided by this host's copy.

struct UnderwayAccess: Sendable {
    let name: ListName
    /// With this host's numbers.
    let change: AccessRecord
    let peer: Peer
    let completion: Store.Completion<AccessOutcome>
}

extension Store {
    /// Refuses at once if the peer may not read the list. Everything else is decided by the state in etcd.
    func setSharedAccess(
        of name: ListName, _ change: AccessRecord, _ held: StoredList, _ shared: SharedList, by peer: Peer,
        completion: @escaping Completion<AccessOutcome>
    ) throws(StoreError) {
        let access = held.headAccess
        guard access.isGoverned(by: peer) || access.rights(of: peer).contains(.read) else { throw .noSuchList(name) }
        enqueue(
            .access(UnderwayAccess(name: name, change: change, peer: peer, completion: completion)), of: held, shared)
    }

    /// Translates this host's numbers into names.
    func sharedAccess(_ change: AccessRecord, of name: ListName) throws(StoreError) -> SharedAccess {
        var told = SharedAccess(mode: change.mode)
        if let owner = change.owner {
            guard let user = accounts.nameOfUser(owner) else { throw .notForShared(name, .namelessUser(owner)) }
            told.owner = user
        }
        if let group = change.group {
            guard let known = accounts.nameOfGroup(group) else { throw .notForShared(name, .namelessGroup(group)) }
            told.group = known
        }
        return told
    }

    func add(
        _ underway: UnderwayAccess, _ number: SharingMachine.RequestNumber, to draft: inout BatchDraft,
        _ shared: SharedList
    ) throws(StoreError) -> DraftProgress {
        let (name, peer, old) = (underway.name, underway.peer, draft.access)
        guard old.isGoverned(by: peer) else {
            throw old.rights(of: peer).contains(.read)
                ? .permissionDenied(name, .governing) : .noSuchList(name)
        }
        try check(underway.change, of: name, old.effective, by: peer)
        let told = try sharedAccess(underway.change, of: name)
        let new = storedAccess(old.record.changed(by: told), of: name)
        let outcome = AccessOutcome(state: draft.head, access: new.effective)
        if new.record == old.record {
            addResting(number, .access(underway.completion, .success(outcome)), in: &draft, shared)
            return .done
        }
        var row = SharedRow(operations: [], time: clock.now.timeOfDay.milliseconds)
        row.access = told
        let drafted = DraftedRow(
            row: row, made: nil, state: draft.head,
            request: (number, .access(underway.completionInLog, .success(outcome))))
        guard try append(drafted, to: &draft) else { return .full }
        draft.access = new
        return .done
    }
}

extension UnderwayAccess {
    /// For a change in the log: a full disk here does not undo it, so its outcome is reported as unknown.
    fileprivate var completionInLog: Store.Completion<AccessOutcome> {
        { [completion, name] result in
            if case .failure(.noSpace) = result { return completion(.failure(.outcomeUnknown(name))) }
            completion(result)
        }
    }
}
