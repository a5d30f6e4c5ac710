import Diffable
import Logging

// A lease belongs to a connection. When it ends, everything that was put in under it is deleted, in one transaction for
// each list, like any other change. Leases of durable lists are written in the group of the change; a start finds the
// leases that the last daemon left, and ends them before anybody is served.

extension Store {
    /// A new lease, which holds nothing yet.
    package func makeLease() -> Lease {
        lastLeaseNumber += 1
        liveLeases.insert(lastLeaseNumber)
        return Lease(number: lastLeaseNumber)
    }

    /// Deletes what is leased and still there: the leased lists, the items with their descendants, and the sections
    /// that are empty then. Sections in which others have put something stay.
    ///
    /// On a full disk it is tried again after the next group that is written.
    package func end(_ lease: Lease, origin: Origin, completion: @escaping @Sendable () -> Void = {}) {
        liveLeases.remove(lease.number)
        endSharedLease(lease, origin: origin)
        guard case .running = condition, let numbers = leasedLists.removeValue(forKey: lease) else {
            return completion()
        }
        for number in numbers.sorted() { end(lease, of: number, origin: origin) }
        // This rests on everything that was just begun, because all of it is in one group.
        answer(whenSettled: completion)
    }

    func end(_ lease: Lease, of number: Int, origin: Origin) {
        guard let leases = leases[number] else { return }
        // What is leased of a deleted list goes when the list comes back.
        if let deletion = deletions[number], deletion.committed != nil, deletion.head != nil { return }
        // A deletion is on its way to the disk. If it fails, there is something left to do.
        guard let head = heldLists[leases.name]?.head, head.number == number else {
            return postponeEnd(of: lease, number, origin: origin)
        }
        // Nobody waits for an answer. A full disk is a reason to try again.
        let completion: Completion<ListState> = { result in
            guard case .failure(.noSpace) = result else { return }
            self.assumeIsolated { $0.postponeEnd(of: lease, number, origin: origin) }
        }
        let answer = DeferredReply.list(completion, .success(head))
        if leases.list == lease { return delete(head, keeping: nil, answer: answer) }
        let (new, operations) = head.snapshot.removing(leases.items(of: lease), leases.sections(of: lease))
        var change = LeaseChange(operations, from: head.snapshot, to: new, lease: nil, leases: leases) ?? LeaseChange()
        // Sections that stay are no longer leased.
        for section in leases.sections(of: lease) { change.endedSections[section] = lease }
        if change.isEmpty { return }
        guard !operations.isEmpty else {
            return commit(ListChange(event: .unchanged, state: head, leases: change), answer: answer)
        }
        let state = head.moved(to: head.revision + 1, new)
        commit(
            ListChange(from: head, to: state, by: operations, at: clock.now, origin: origin, leases: change),
            answer: answer)
    }

    private func postponeEnd(of lease: Lease, _ number: Int, origin: Origin) {
        leasedLists[lease, default: []].insert(number)
        overdueLeases[lease] = origin
    }

    /// Tries again once the disk has room.
    func endOverdueLeases() {
        guard !overdueLeases.isEmpty else { return }
        let overdue = overdueLeases
        overdueLeases = [:]
        for (lease, origin) in overdue { end(lease, origin: origin) }
    }

    /// Ends the leases that the last daemon left.
    func endLeasesLeftBehind() async {
        guard leasedLists[.leftBehind] != nil else { return }
        await withCheckedContinuation { continuation in
            end(.leftBehind, origin: Origin(name: "lease ended: restart")) { continuation.resume() }
        }
        if !overdueLeases.isEmpty {
            logger.warning("the disk is too full to take away what was leased; it goes when there is room")
        }
    }
}

// MARK: - Following changes

extension Store {
    /// Updates the leases after a change has become its list's head.
    func makeLeases(of change: ListChange) {
        let number = change.state.number
        if case .undeleted = change.event { leases[number]?.name = change.state.name }
        guard let leaseChange = change.leases else { return }
        leases[number, default: Leases(of: change.state.name)].make(leaseChange)
        if leases[number]?.isEmpty == true { leases[number] = nil }
        if let lease = leaseChange.lease { leasedLists[lease, default: []].insert(number) }
    }

    /// Updates the rows after a change is on disk.
    func settleLeases(of change: ListChange) {
        if change.isEnd { leases[change.state.number] = nil }
        // What is leased is told with the state that it has advanced to.
        if case .advanced(let former, _) = change.event { leases[former.number] = nil }
    }

    /// Reverts changes, in arrival order, that did not come to the disk.
    func refuseLeases(of changes: [ListChange]) {
        for change in changes.reversed() {
            let number = change.state.number
            if case .undeleted(let formerName) = change.event { leases[number]?.name = formerName }
            guard let leaseChange = change.leases else { continue }
            leases[number, default: Leases(of: change.state.name)].takeBack(leaseChange)
            if leases[number]?.isEmpty == true { leases[number] = nil }
        }
    }
}

extension Snapshot {
    /// The snapshot without the items, and without those of the sections that are empty then.
    func removing(_ items: [ItemID], _ sections: [SectionID]) -> (Snapshot, [ListOperation]) {
        do throws(TransactionError) {
            var operations: [ListOperation] = items.isEmpty ? [] : [.deleteItems(items, .isPassedOver)]
            let rest = try applying(operations)
            let empty = sections.filter { rest.numberOfItems(inSection: $0) == 0 }
            if !empty.isEmpty { operations.append(.deleteSections(empty, .isPassedOver)) }
            let new = try applying(operations)
            return (new, new.difference(from: self, after: operations))
        } catch {
            preconditionFailure("what may be absent can be deleted: \(error)")
        }
    }
}
