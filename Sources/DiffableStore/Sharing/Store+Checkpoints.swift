import Diffable
import Logging

// The complete state of a shared list: stored in etcd so that the log can be truncated, and read by a replica that is
// behind the start of the log. Clients see it as one more change.

extension Store {
    /// The replica with its keys and leases. etcd has all of it, even if it is not on disk here yet. O(items and keys)
    package func sharedCheckpoint(of name: ListName) throws(StoreError) -> SharedCheckpoint {
        guard let held = storedLists[name], let shared = held.shared, let list = held.head,
            let state = state(of: shared, held)
        else { throw .noSuchList(name) }
        let keys = (requestWindows[list.number] ?? RequestWindow()).all
        return SharedCheckpoint(
            of: list, at: state, access: held.headAccess.record.shared, leases: leases[list.number], keys: keys,
            now: clock.running)
    }

    /// Takes a complete state unless it is older than the replica. Returns false if it is invalid.
    func adoptState(at position: SharedPosition, _ text: [UInt8], _ held: StoredList, _ shared: SharedList) -> Bool {
        guard position.batch > shared.machine.position.batch, let head = held.head else { return true }
        let told: SharedCheckpointText
        do {
            told = try SharedCheckpointText(text, now: clock.running)
            guard told.revision >= head.revision else {
                throw SharedBatch.Unreadable(
                    description: "it has revision \(told.revision), but this host already has revision \(head.revision)"
                )
            }
        } catch {
            logger.error(
                "could not apply a state of a shared list from etcd; the list stays as it is on this host",
                metadata: ["list": "\(head.name)", "batch": "\(position.batch)", "reason": "\(error)"])
            return false
        }
        change(held) { $0.skip(to: position, &$1) }
        if told.revision == head.revision { adoptKeys(of: told, held) } else { advance(held, from: head, to: told) }
        if let access = told.access { adoptAccess(access, held) }
        adoptLeases(told.leases, held)
        commitPosition(of: held, shared)
        return true
    }

    private func advance(_ held: StoredList, from head: ListState, to told: SharedCheckpointText) {
        let difference = told.snapshot.difference(from: head.snapshot)
        let state = ListState(
            name: head.name, epoch: head.epoch, revision: told.revision,
            snapshot: told.snapshot.sharing(with: head.snapshot, by: difference), durability: head.durability,
            number: nextListNumber, lastReloadRevision: told.lastReloadRevision)
        nextListNumber += 1
        let operations = told.snapshot.difference(from: Snapshot())
        // The state is not history, because the changes before it are unknown.
        let moment = Moment(timeOfDay: clock.now.timeOfDay, running: .longAgo)
        let revision = Revision(
            number: state.revision, moment: moment, operations: operations.count, length: 0, origin: nil)
        commit(
            ListChange(event: .advanced(from: head, operations), state: state, revision: revision), of: held,
            answer: .settled {})
        adoptKeys(of: told, held)
    }

    /// Takes the access. It is written in the same commit group as the position.
    private func adoptAccess(_ access: SharedAccess, _ held: StoredList) {
        guard let head = held.head else { return }
        let record = held.headAccess.record.changed(by: access)
        if record == held.headAccess.record { return }
        commit(ListChange(event: .unchanged, state: head, access: record), of: held, answer: .settled {})
    }

    private func adoptKeys(of told: SharedCheckpointText, _ held: StoredList) {
        guard let head = held.head else { return }
        for key in told.keys where requestWindows[head.number]?[key.key] == nil {
            let result = key.numbered(nextResultNumber(of: head))
            commit(ListChange(event: .unchanged, state: head, result: result), of: held, answer: .settled {})
        }
    }
}

extension RunningTime {
    /// Older than any age limit.
    fileprivate static let longAgo = RunningTime(milliseconds: -1 << 50)
}
