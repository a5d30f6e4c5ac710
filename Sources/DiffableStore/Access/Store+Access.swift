import Diffable

// Rights are checked where a request meets its list: reads at the committed state, changes at the head. For a client
// without read permission, a list looks like a missing one, with the same error at the same time.

package struct AccessOutcome: Sendable {
    package let state: ListState
    package let access: ListAccess

    package var epoch: String { state.epoch }
}

extension Store {
    /// Changes owner, group or mode of a list, as chown(2) and chmod(2) do. The owner can set the mode, and a group
    /// that the owner belongs to. Only root can change the owner.
    package func setAccess(
        of name: ListName, _ change: AccessRecord, by peer: Peer = .daemon,
        completion: @escaping Completion<AccessOutcome>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        do throws(StoreError) {
            if let held = storedLists[name], let shared = held.shared {
                return try setSharedAccess(of: name, change, held, shared, by: peer, completion: completion)
            }
            let head = try governedHead(of: name, by: peer, otherwise: .governing)
            let old = currentAccess(of: name)
            try check(change, of: name, old.effective, by: peer)
            set(old.record.changed(by: change), of: head, completion: completion)
        } catch {
            answer(.access(completion, .failure(error)), about: name, to: peer)
        }
    }

    /// Checks the details of a change by a peer that governs the list.
    func check(
        _ change: AccessRecord, of name: ListName, _ access: ListAccess, by peer: Peer
    ) throws(StoreError) {
        if peer.isPrivileged { return }
        if let owner = change.owner, owner != access.owner { throw .permissionDenied(name, .givingAway) }
        if let group = change.group, group != access.group, !peer.isMember(of: group) {
            throw .permissionDenied(name, .foreignGroup(group))
        }
    }

    /// Makes a list a mirror, which only clients that mirror it may change (`Peer.mirrored`), or with nil an ordinary list again.
    package func setSource(
        of name: ListName, _ source: MirrorSource?, by peer: Peer = .daemon,
        completion: @escaping Completion<AccessOutcome>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        do throws(StoreError) {
            let head = try governedHead(of: name, by: peer, otherwise: .mirroring)
            if storedLists[name]?.shared != nil { throw .notForShared(name, .mirroring) }
            var record = currentAccess(of: name).record
            record.source = source
            set(record, of: head, completion: completion)
        } catch {
            answer(.access(completion, .failure(error)), about: name, to: peer)
        }
    }

    private func set(_ record: AccessRecord, of head: ListState, completion: @escaping Completion<AccessOutcome>) {
        let name = head.name
        let outcome = AccessOutcome(state: head, access: accessRules.access(of: name, record))
        let answer = DeferredReply.access(completion, .success(outcome))
        if record == currentAccess(of: name).record { return self.answer(answer, about: name) }
        commit(ListChange(event: .unchanged, state: head, access: record), answer: answer)
    }

    package func mayGovern(_ name: ListName, _ peer: Peer) -> Bool {
        (try? governedHead(of: name, by: peer, otherwise: .governing)) != nil
    }

    package func source(of name: ListName) -> MirrorSource? { storedLists[name]?.access.effective.source }

    /// Takes new rules, which also determine modes that were not set. Returns the lists whose access has changed.
    package func apply(_ rules: AccessRules) -> [ListName] {
        accessRules = rules
        return recountUsages().sorted()
    }

    /// Applies the rules and limits to each list, and recounts its usage. Returns the lists whose access has changed.
    @discardableResult
    func recountUsages() -> [ListName] {
        var changed: [ListName] = []
        for (name, held) in storedLists {
            let old = held.access.effective
            held.access = storedAccess(held.access.record, of: name)
            held.headAccess = storedAccess(held.headAccess.record, of: name)
            usages.recount(held)
            if held.committed != nil, held.access.effective != old { changed.append(name) }
        }
        return changed
    }

    func storedAccess(_ record: AccessRecord, of name: ListName) -> StoredAccess {
        StoredAccess(record, of: name, accessRules, accounts, limits)
    }

    func currentAccess(of name: ListName) -> StoredAccess {
        storedLists[name]?.headAccess ?? storedAccess(AccessRecord(), of: name)
    }

    /// The head of a list whose access the peer may change. Throws otherwise.
    func governedHead(of name: ListName, by peer: Peer, otherwise denial: Denial) throws(StoreError) -> ListState {
        guard let held = storedLists[name], let head = held.head else { throw .noSuchList(name) }
        let access = held.headAccess
        if access.isGoverned(by: peer) { return head }
        throw access.rights(of: peer).contains(.read) ? .permissionDenied(name, denial) : .noSuchList(name)
    }

    /// Answers a request that changes nothing, once everything that the answer depends on is on disk. A peer that may
    /// not read the list is answered at once, because a delay would reveal that the list exists.
    func answer(_ answer: DeferredReply, about name: ListName, to peer: Peer) {
        guard let held = storedLists[name] else { return answer.complete() }
        let isSeen = held.committed != nil && held.access.rights(of: peer).contains(.read)
        let isToBeSeen = held.head != nil && held.headAccess.rights(of: peer).contains(.read)
        if isSeen || isToBeSeen { self.answer(answer, about: name) } else { answer.complete() }
    }
}

extension StoredAccess {
    init(
        _ record: AccessRecord, of name: ListName, _ rules: AccessRules, _ accounts: Accounts, _ limits: StoreLimits
    ) {
        list = name
        self.record = record
        effective = rules.access(of: name, record.resolved(by: accounts))
        user = limits.subordinates.user(of: effective.owner)
    }
}

extension StoreError {
    /// The error for a peer that may write to the list but not read it. Errors that reveal contents are replaced.
    var withoutContents: StoreError {
        switch self {
        case .transaction(let list, _), .operation(let list, _), .invalidContent(let list, _):
            .permissionDenied(list, .unfitWhileWriteOnly)
        case .permissionDenied(let list, .mirrored): .permissionDenied(list, .mirrored(nil))
        default: self
        }
    }
}
