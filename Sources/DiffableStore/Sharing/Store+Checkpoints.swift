import Diffable
import Logging

// A whole state of a shared list: given to the engine so that its log need not be kept for ever, and taken from it by a
// replica that is behind the log's beginning. Clients see the difference as one more change.

extension Store {
    /// The replica, with its keys and leases. All of it is in the engine, on disk here or not. O(items and keys)
    package func sharedCheckpoint(of name: ListName) throws(StoreError) -> SharedCheckpoint {
        guard let held = heldLists[name], let shared = held.shared, let list = held.head,
            let state = state(of: shared, held)
        else { throw .noSuchList(name) }
        let keys = (requestWindows[list.number] ?? RequestWindow()).all
        return SharedCheckpoint(
            of: list, at: state, access: held.headAccess.record.shared, leases: leases[list.number], keys: keys,
            now: clock.running)
    }

    /// Whether the state could be taken, or is no newer than what there is.
    func take(stateAt position: SharedPosition, _ text: [UInt8], _ held: HeldList, _ shared: SharedList) -> Bool {
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
        change(held) { $0.jump(to: position, &$1) }
        if told.revision == head.revision { takeKeys(of: told, held) } else { advance(held, from: head, to: told) }
        if let access = told.access { take(access, held) }
        takeLeases(told.leases, held)
        commitPosition(of: held, shared)
        return true
    }

    private func advance(_ held: HeldList, from head: ListState, to told: SharedCheckpointText) {
        let difference = told.snapshot.difference(from: head.snapshot)
        let state = ListState(
            name: head.name, epoch: head.epoch, revision: told.revision,
            snapshot: told.snapshot.sharing(with: head.snapshot, by: difference), durability: head.durability,
            number: nextListNumber, lastReloadRevision: told.lastReloadRevision)
        nextListNumber += 1
        let operations = told.snapshot.difference(from: Snapshot())
        // It is no past: what was between is not known.
        let moment = Moment(timeOfDay: clock.now.timeOfDay, running: .longAgo)
        let revision = Revision(
            number: state.revision, moment: moment, operations: operations.count, length: 0, origin: nil)
        commit(
            ListChange(event: .advanced(from: head, operations), state: state, revision: revision), of: held,
            answer: .settled {})
        takeKeys(of: told, held)
    }

    /// It is written with the position, in one group.
    private func take(_ access: SharedAccess, _ held: HeldList) {
        guard let head = held.head else { return }
        let record = held.headAccess.record.changed(by: access)
        if record == held.headAccess.record { return }
        commit(ListChange(event: .unchanged, state: head, access: record), of: held, answer: .settled {})
    }

    private func takeKeys(of told: SharedCheckpointText, _ held: HeldList) {
        guard let head = held.head else { return }
        for key in told.keys where requestWindows[head.number]?[key.key] == nil {
            let result = key.numbered(nextResultNumber(of: head))
            commit(ListChange(event: .unchanged, state: head, result: result), of: held, answer: .settled {})
        }
    }
}

extension RunningTime {
    /// Before every other: what is as old is kept by nobody.
    fileprivate static let longAgo = RunningTime(milliseconds: -1 << 50)
}
