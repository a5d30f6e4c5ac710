import Diffable

/// A list as a backup has it.
package struct RestoredList: Sendable {
    package var name: ListName
    package var snapshot: Snapshot
    /// What it leaves out is as for a list that is created.
    package var access: AccessRecord

    package init(name: ListName, snapshot: Snapshot, access: AccessRecord = AccessRecord()) {
        self.name = name
        self.snapshot = snapshot
        self.access = access
    }
}

/// What lists mean to a restore that have the names of those that are restored.
package enum ReplacedLists: Sendable {
    case areError
    /// They go, with their past. Who follows one follows the new one, from a `reset` on.
    case areAllowed
}

extension Store {
    /// Makes all of these lists or none: each is durable, in a new life, and at revision 1, or at 0 when it is empty. They
    /// are one group, so one transaction on the disk.
    ///
    /// The completion is given their states. O(items).
    package func restore(
        _ lists: [RestoredList], replaced: ReplacedLists, origin: Origin?, by peer: Peer = .daemon,
        completion: @escaping Completion<[AccessOutcome]>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        do throws(StoreError) {
            let existing = lists.map(\.name).filter { heldLists[$0]?.head != nil }.sorted()
            if replaced == .areError, let first = existing.first {
                throw .restoredListExists(first, others: existing.count - 1)
            }
            guard numberOfHeads + lists.count - existing.count <= limits.listsMax else {
                throw .tooManyLists(max: limits.listsMax)
            }
        } catch {
            // Rests on all heads.
            return answer(whenSettled: { completion(.failure(error)) })
        }
        var outcomes: [AccessOutcome] = []
        for list in lists {
            if let head = heldLists[list.name]?.head { replace(head) }
            outcomes.append(make(list, origin: origin, by: peer))
        }
        guard let last = outcomes.popLast() else { return completion(.success([])) }
        gathering.answers.append(
            .access({ [outcomes] result in completion(result.map { outcomes + [$0] }) }, .success(last)))
    }

    private func replace(_ head: ListState) {
        replacedLists.insert(head.number)
        // A volatile list waits for the disk as well, or it would be gone when the others cannot be written.
        heldLists[head.name]?.group = gathering.number
        delete(head, answer: .settled {})
    }

    /// The state that the list comes to.
    private func make(_ list: RestoredList, origin: Origin?, by peer: Peer) -> AccessOutcome {
        let empty = ListState(
            name: list.name, epoch: Epoch.random(), durability: .durable, number: nextListNumber)
        nextListNumber += 1
        let access = accessRules.record(of: list.name, madeBy: peer, mode: nil).changed(by: list.access)
        commit(ListChange(event: .created, state: empty, access: access), answer: .settled {})
        let effective = accessRules.access(of: list.name, access)
        let operations = list.snapshot.difference(from: empty.snapshot)
        if operations.isEmpty { return AccessOutcome(state: empty, access: effective) }
        let state = empty.moved(to: 1, list.snapshot)
        commit(ListChange(from: empty, to: state, by: operations, at: now(), origin: origin), answer: .settled {})
        return AccessOutcome(state: state, access: effective)
    }
}
