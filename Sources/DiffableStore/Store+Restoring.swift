import Diffable
import DiffableJSON

/// A list as a backup has it.
package struct RestoredList: Sendable {
    package var name: ListName
    package var snapshot: Snapshot
    /// Attributes that it leaves out are those of a new list.
    package var access: AccessRecord
    /// Nil for none.
    package var schemas: SchemaSet?
    /// Whether the contents need not fit the schemas. They did not when the list got them.
    package var existing: ExistingItems
    /// What makes it of an empty list, and whether its contents fit, if that was found beforehand.
    private(set) var preparation: (change: MadeChange, check: Result<Void, StoreError>)?

    package init(
        name: ListName, snapshot: Snapshot, access: AccessRecord = AccessRecord(), schemas: SchemaSet? = nil,
        existing: ExistingItems = .areChecked
    ) {
        self.name = name
        self.snapshot = snapshot
        self.access = access
        self.schemas = schemas
        self.existing = existing
    }
}

/// What a restore does when lists with these names exist.
package enum ReplacedLists: Sendable {
    case areError
    /// They are deleted, and can come back as other deleted lists. Their subscribers follow the new ones, beginning with a `reset`.
    case areAllowed
}

extension Store {
    /// Makes all of these lists or none. Each is durable, has a new epoch, and is at revision 1, or 0 when it is empty.
    /// They are one group, so one transaction on the disk.
    ///
    /// The completion gets their states. O(items).
    package func restore(
        _ lists: [RestoredList], replaced: ReplacedLists, origin: Origin?, by peer: Peer = .daemon,
        completion: @escaping Completion<[AccessOutcome]>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        do throws(StoreError) {
            let existing = lists.map(\.name).filter { heldLists[$0]?.head != nil }.sorted()
            if replaced == .areError, let first = existing.first {
                throw .restoredListExists(first, others: Array(existing.dropFirst()))
            }
            if let shared = existing.first(where: { heldLists[$0]?.shared != nil }) {
                throw .notForShared(shared, .replacing)
            }
            guard usages.numberOfUnlimitedLists + lists.count - existing.count <= limits.listsMax else {
                throw .tooManyLists(max: limits.listsMax)
            }
            for list in lists {
                if let preparation = list.preparation { try preparation.check.get() } else { try list.check() }
            }
        } catch {
            // The answer rests on all heads.
            return answer(whenSettled: { completion(.failure(error)) })
        }
        var outcomes: [AccessOutcome] = []
        for list in lists {
            if let head = heldLists[list.name]?.head { replace(head, origin) }
            outcomes.append(make(list, origin: origin, by: peer))
        }
        guard let last = outcomes.popLast() else { return completion(.success([])) }
        gathering.answers.append(
            .access({ [outcomes] result in completion(result.map { outcomes + [$0] }) }, .success(last)))
    }

    private func replace(_ head: ListState, _ origin: Origin?) {
        replacedLists.insert(head.number)
        // A volatile list waits for the disk as well. Otherwise it would be gone when the others cannot be written.
        heldLists[head.name]?.group = gathering.number
        delete(head, keeping: deletion(of: head, by: origin), answer: .settled {})
    }

    /// The state of the list after the restore.
    private func make(_ list: RestoredList, origin: Origin?, by peer: Peer) -> AccessOutcome {
        let empty = ListState(
            name: list.name, epoch: Epoch.random(), durability: .durable, number: nextListNumber)
        nextListNumber += 1
        let access = accessRules.record(of: list.name, madeBy: peer, mode: nil).changed(by: list.access)
        let schemas = list.schemas.map { set in
            ListSchemas(
                set, existing: list.existing,
                by: SchemaChange(revision: 0, moment: clock.now, origin: origin, numberOfKinds: set.count), after: nil)
        }
        commit(ListChange(event: .created, state: empty, access: access, schemas: schemas), answer: .settled {})
        let effective = accessRules.access(of: list.name, access)
        let change = list.preparation?.change ?? list.change
        if change.operations.isEmpty { return AccessOutcome(state: empty, access: effective) }
        let state = empty.moved(to: 1, list.snapshot)
        commit(ListChange(from: empty, to: state, by: change, at: clock.now, origin: origin), answer: .settled {})
        return AccessOutcome(state: state, access: effective)
    }
}

extension RestoredList {
    /// The same, with what takes long to find of it. It may be found on any thread. O(items)
    package func prepared() -> RestoredList {
        var list = self
        list.preparation = (change.complete(from: Snapshot()), Result { () throws(StoreError) in try check() })
        return list
    }

    fileprivate var change: MadeChange {
        MadeChange(new: snapshot, operations: snapshot.difference(from: Snapshot()))
    }

    /// Throws when its contents do not fit its own schemas.
    fileprivate func check() throws(StoreError) {
        guard let schemas, existing == .areChecked else { return }
        do throws(InvalidContent) { try schemas.checkAll(of: snapshot) } catch {
            throw .invalidContent(name, InvalidContent(item: error.item, violation: error.violation))
        }
    }
}
