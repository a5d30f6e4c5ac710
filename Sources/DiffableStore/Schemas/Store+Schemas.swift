import Diffable
import DiffableJSON

// A list's schemas are not part of its states: setting them makes no revision, and undo does not restore earlier ones.
// Like access, they have a head and a version on disk.

extension Store {
    /// Sets the schemas that the contents of a list's items have to match from now on. Needs the right to set the
    /// list's access. The reply has the list's state, which does not change.
    @discardableResult
    package func setSchemas(
        of name: ListName, _ set: SchemaSet, existing: ExistingItems = .areChecked, origin: Origin? = nil,
        by peer: Peer = .daemon, completion: @escaping Completion<ListState>
    ) -> RequestProgress {
        carryOut(
            SchemaRequest(
                name: name, set: set, existing: existing, origin: origin, peer: peer, completion: completion))
    }

    /// - Parameter checked: the state that was checked in the background, and the error if an item does not match.
    private func carryOut(
        _ request: SchemaRequest, checked: (head: ListState, error: InvalidContent?)? = nil
    ) -> RequestProgress {
        if let refusal {
            request.completion(.failure(refusal))
            return .done
        }
        let (name, set, existing) = (request.name, request.set, request.existing)
        do throws(StoreError) {
            let head = try governedHead(of: name, by: request.peer, otherwise: .schemas)
            guard let held = storedLists[name], held.shared == nil else { throw .notForShared(name, .schemas) }
            let former = held.headSchemas
            if existing == .areChecked, !set.isEmpty {
                if let checked, checked.head === head {
                    if let error = checked.error { throw .invalidContent(name, error) }
                } else if let background, head.snapshot.numberOfItems * set.costOfItem > background.sizeMax {
                    check(request, head, isOvertaken: checked != nil, in: held, background)
                    return .underway
                } else if let error = set.invalidContent(of: head.snapshot) {
                    throw .invalidContent(name, error)
                }
            }
            let answer = DeferredReply.list(request.completion, .success(head))
            if set == former?.set ?? SchemaSet(), existing == former?.existing ?? existing {
                self.answer(answer, about: name)
                return .done
            }
            let change = SchemaChange(
                revision: head.revision, moment: clock.now, origin: request.origin, numberOfKinds: set.count)
            let schemas = ListSchemas(set, existing: existing, by: change, after: former)
            try checkRoom(for: schemas, of: name, by: request.peer)
            commit(ListChange(event: .unchanged, state: head, schemas: schemas), answer: answer)
        } catch {
            answer(.list(request.completion, .failure(error)), about: name, to: request.peer)
        }
        return .done
    }

    /// Checks a large list in the background. If changes overtake the check too often, they have to wait for the last attempt.
    private func check(
        _ request: SchemaRequest, _ head: ListState, isOvertaken: Bool, in held: StoredList,
        _ background: BackgroundWork
    ) {
        if held.isReserved {
            return held.waiting.append { store in _ = store.carryOut(request) }
        }
        var next = request
        if isOvertaken { next.timesOvertaken += 1 }
        let isReserving = next.timesOvertaken > Self.timesOvertakenMax
        if isReserving { held.isReserved = true }
        let list = ReservedList(held: held, isReserved: isReserving)
        let size = head.snapshot.numberOfItems * request.set.costOfItem
        background.compute(size: size, { [set = request.set] in set.invalidContent(of: head.snapshot) }) {
            [next] error in
            self.assumeIsolated { store in
                // `carryOut` has to find the list free.
                if isReserving { list.held.isReserved = false }
                _ = store.carryOut(next, checked: (head, error))
                if isReserving, !list.held.isReserved { store.release(list) }
            }
        }
    }

    /// The schemas of a list on disk. Nil if the list never had any.
    package func schemas(
        of name: ListName, for peer: Peer = .daemon
    ) throws(StoreError) -> (state: ListState, schemas: ListSchemas?) {
        guard mayRead(name, peer), let held = storedLists[name], let state = held.committed else {
            throw .noSuchList(name)
        }
        return (state, held.schemas)
    }

    /// The changes of a list's schemas, newest first, as far back as history may reach.
    package func schemaChanges(of name: ListName, for peer: Peer = .daemon) -> [SchemaChange] {
        guard mayRead(name, peer), let changes = storedLists[name]?.schemas?.changes else { return [] }
        let now = clock.running
        return changes.reversed().filter { !limits.history.isExpired($0.moment.running, now: now) }
    }

    private func checkRoom(for schemas: ListSchemas, of name: ListName, by peer: Peer) throws(StoreError) {
        guard let held = storedLists[name], !peer.isPrivileged, let usage = held.counted.usage, usage.isLimited else {
            return
        }
        let growth = schemas.lengthCounted - (held.headSchemas?.lengthCounted ?? 0)
        guard growth > 0, usage.length + growth > limits.contentPerUserMax else { return }
        throw .contentOfUserTooLong(name, usage.owner, max: limits.contentPerUserMax)
    }
}

private struct SchemaRequest: Sendable {
    let name: ListName
    let set: SchemaSet
    let existing: ExistingItems
    let origin: Origin?
    let peer: Peer
    let completion: Store.Completion<ListState>
    /// The number of times the list changed while its items were being checked.
    var timesOvertaken = 0
}

extension SchemaSet {
    fileprivate func invalidContent(of list: Snapshot) -> InvalidContent? {
        do throws(InvalidContent) { try checkAll(of: list) } catch { return error }
        return nil
    }
}
