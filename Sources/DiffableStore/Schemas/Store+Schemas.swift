import Diffable
import DiffableJSON

// A list's schemas are kept beside its states and not in them: to set them is no revision, and undo does not bring earlier
// ones back. Like access, they have a head and what is on disk.

extension Store {
    /// Says what the contents of a list's items must look like from now on. Those who may set its access may do so. The
    /// answer has the list's state, which stays.
    package func setSchemas(
        of name: ListName, _ set: SchemaSet, existing: ExistingItems = .areChecked, origin: Origin? = nil,
        by peer: Peer = .daemon, completion: @escaping Completion<ListState>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        do throws(StoreError) {
            let head = try governedHead(of: name, by: peer, otherwise: .schemas)
            if heldLists[name]?.shared != nil { throw .notForShared(name, .schemas) }
            let former = heldLists[name]?.headSchemas
            if existing == .areChecked {
                do throws(InvalidContent) { try set.checkAll(of: head.snapshot) } catch {
                    throw .invalidContent(name, error)
                }
            }
            let answer = DeferredReply.list(completion, .success(head))
            if set == former?.set ?? SchemaSet(), existing == former?.existing ?? existing {
                return self.answer(answer, about: name)
            }
            let change = SchemaChange(
                revision: head.revision, moment: clock.now, origin: origin, numberOfKinds: set.count)
            let schemas = ListSchemas(set, existing: existing, by: change, after: former)
            try checkRoom(for: schemas, of: name, by: peer)
            commit(ListChange(event: .unchanged, state: head, schemas: schemas), answer: answer)
        } catch {
            answer(.list(completion, .failure(error)), about: name, to: peer)
        }
    }

    /// The schemas of a list as they are on disk; nil when there have never been any.
    package func schemas(
        of name: ListName, for peer: Peer = .daemon
    ) throws(StoreError) -> (state: ListState, schemas: ListSchemas?) {
        guard mayRead(name, peer), let held = heldLists[name], let state = held.committed else {
            throw .noSuchList(name)
        }
        return (state, held.schemas)
    }

    /// When a list's schemas were set, newest first, as far back as its past may go.
    package func schemaChanges(of name: ListName, for peer: Peer = .daemon) -> [SchemaChange] {
        guard mayRead(name, peer), let changes = heldLists[name]?.schemas?.changes else { return [] }
        let now = clock.running
        return changes.reversed().filter { !limits.history.isPast($0.moment.running, now: now) }
    }

    /// Throws when they would take the owner's lists beyond the limit.
    private func checkRoom(for schemas: ListSchemas, of name: ListName, by peer: Peer) throws(StoreError) {
        guard let held = heldLists[name], !peer.isPrivileged, let usage = held.counted.usage, usage.isLimited else {
            return
        }
        let growth = schemas.lengthCounted - (held.headSchemas?.lengthCounted ?? 0)
        guard growth > 0, usage.length + growth > limits.contentPerUserMax else { return }
        throw .contentOfUserTooLong(name, usage.owner, max: limits.contentPerUserMax)
    }
}
