import Diffable
import DiffableJSON

package struct RestoredList: Sendable {
    package var name: ListName
    package var snapshot: Snapshot
    /// Missing attributes get the defaults of a new list.
    package var access: AccessRecord
    package var schemas: SchemaSet?
    /// Whether the contents have to match the schemas.
    package var existing: ExistingItems
    /// The result of `prepared`: the change from an empty list, and whether the contents match the schemas.
    private(set) var preparation: (change: ComputedChange, check: Result<Void, StoreError>)?

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

package enum ReplacedLists: Sendable {
    case areError
    /// The existing lists are deleted and can be undeleted. Their subscribers follow the new lists, starting with a `reset`.
    case areAllowed
}

extension Store {
    /// Creates all lists or none, in one commit group. Each is durable, has a new epoch, and is at revision 1, or at 0
    /// if it is empty.
    ///
    /// The completion gets their states. O(items).
    package func restore(
        _ lists: [RestoredList], replaced: ReplacedLists, origin: Origin?, by peer: Peer = .daemon,
        completion: @escaping Completion<[AccessOutcome]>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        do throws(StoreError) {
            let existing = lists.map(\.name).filter { storedLists[$0]?.head != nil }.sorted()
            if replaced == .areError, let first = existing.first {
                throw .restoredListExists(first, others: Array(existing.dropFirst()))
            }
            if let shared = existing.first(where: { storedLists[$0]?.shared != nil }) {
                throw .notForShared(shared, .replacing)
            }
            guard usages.numberOfUnlimitedLists + lists.count - existing.count <= limits.listsMax else {
                throw .tooManyLists(max: limits.listsMax)
            }
            for list in lists {
                if let preparation = list.preparation { try preparation.check.get() } else { try list.check() }
            }
        } catch {
            // The answer depends on all heads.
            return answer(whenSettled: { completion(.failure(error)) })
        }
        var outcomes: [AccessOutcome] = []
        for list in lists {
            if let head = storedLists[list.name]?.head { deleteReplaced(head, origin) }
            outcomes.append(createRestored(list, origin: origin, by: peer))
        }
        guard let last = outcomes.popLast() else { return completion(.success([])) }
        gathering.answers.append(
            .access({ [outcomes] result in completion(result.map { outcomes + [$0] }) }, .success(last)))
    }

    private func deleteReplaced(_ head: ListState, _ origin: Origin?) {
        replacedLists.insert(head.number)
        // A volatile list has to wait for the disk too. Otherwise it would be lost if the others cannot be written.
        storedLists[head.name]?.group = gathering.number
        delete(head, keeping: deletion(of: head, by: origin), answer: .settled {})
    }

    func createRestored(_ list: RestoredList, origin: Origin?, by peer: Peer) -> AccessOutcome {
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
    /// Computes the expensive parts in advance, on any thread. O(items).
    package func prepared() -> RestoredList {
        var list = self
        list.preparation = (change.withConsequences(from: Snapshot()), Result { () throws(StoreError) in try check() })
        return list
    }

    fileprivate var change: ComputedChange {
        ComputedChange(new: snapshot, operations: snapshot.difference(from: Snapshot()))
    }

    /// Throws if the contents do not match the list's own schemas.
    fileprivate func check() throws(StoreError) {
        guard let schemas, existing == .areChecked else { return }
        do throws(InvalidContent) { try schemas.checkAll(of: snapshot) } catch {
            throw .invalidContent(name, InvalidContent(item: error.item, violation: error.violation))
        }
    }
}
