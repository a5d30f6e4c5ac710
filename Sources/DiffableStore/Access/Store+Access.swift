import Diffable

// A right is looked up where a request meets its list: for reading at the committed state, for changing at the head. A
// list that one may not read is answered as one that there is not, by the same error at the same time.

/// Who may what with a list after a change of that.
package struct AccessOutcome: Sendable {
    package let state: ListState
    package let access: ListAccess

    package var epoch: String { state.epoch }
}

extension Store {
    /// Changes whom a list belongs to, or who may what with it, as chmod(2) and chown(2) do: the owner sets the mode, and
    /// a group that it is in; only root gives a list away.
    package func setAccess(
        of name: ListName, _ change: AccessRecord, by peer: Peer = .daemon,
        completion: @escaping Completion<AccessOutcome>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        do throws(StoreError) {
            let head = try governedHead(of: name, by: peer, otherwise: .governing)
            let old = currentAccess(of: name)
            if let owner = change.owner, owner != old.effective.owner, !peer.isPrivileged {
                throw .permissionDenied(name, .givingAway)
            }
            if let group = change.group, group != old.effective.group, !peer.isPrivileged, !peer.isMember(of: group) {
                throw .permissionDenied(name, .foreignGroup(group))
            }
            let record = old.record.changed(by: change)
            let outcome = AccessOutcome(state: head, access: accessRules.access(of: name, record))
            let answer = Answer.access(completion, .success(outcome))
            guard record != old.record else { return self.answer(answer, about: name) }
            commit(ListChange(event: .unchanged, state: head, access: record), answer: answer)
        } catch {
            answer(.access(completion, .failure(error)), about: name, to: peer)
        }
    }

    /// Takes other rules: modes that nobody has set follow them. Gives the lists with which others may do something now.
    package func take(_ rules: AccessRules) -> [ListName] {
        accessRules = rules
        var changed: [ListName] = []
        for (name, held) in heldLists {
            let old = held.access.effective
            held.access = heldAccess(held.access.record, of: name)
            held.headAccess = heldAccess(held.headAccess.record, of: name)
            if held.committed != nil, held.access.effective != old { changed.append(name) }
        }
        return changed.sorted()
    }

    func heldAccess(_ record: AccessRecord, of name: ListName) -> HeldAccess {
        HeldAccess(record: record, effective: accessRules.access(of: name, record))
    }

    private func currentAccess(of name: ListName) -> HeldAccess {
        heldLists[name]?.headAccess ?? heldAccess(AccessRecord(), of: name)
    }

    /// The head of a list that is the peer's to govern.
    func governedHead(of name: ListName, by peer: Peer, otherwise denial: Denial) throws(StoreError) -> ListState {
        guard let held = heldLists[name], let head = held.head else { throw .noSuchList(name) }
        let access = held.headAccess.effective
        if access.isGoverned(by: peer) { return head }
        throw access.rights(of: peer).contains(.read) ? .permissionDenied(name, denial) : .noSuchList(name)
    }

    /// Gives an answer that changes nothing: once all that it rests on is on disk, and at once to one for whom there is no
    /// such list, because waiting would tell that there is one.
    func answer(_ answer: Answer, about name: ListName, to peer: Peer) {
        guard let held = heldLists[name] else { return answer.give() }
        let isSeen = held.committed != nil && held.access.effective.rights(of: peer).contains(.read)
        let isToBeSeen = held.head != nil && held.headAccess.effective.rights(of: peer).contains(.read)
        if isSeen || isToBeSeen { self.answer(answer, about: name) } else { answer.give() }
    }
}

extension StoreError {
    /// As one hears it who may change the list and not read it. What does not rest on what is in the list stays.
    var blinded: StoreError {
        switch self {
        case .transaction(let list, _), .operation(let list, _): .permissionDenied(list, .unfitWhileBlind)
        default: self
        }
    }
}
