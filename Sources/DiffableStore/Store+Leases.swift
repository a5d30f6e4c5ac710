import Diffable
import Logging

// A lease is a connection's. What was put somewhere under it goes in one transaction a list when it ends, like any other
// change: through a group to the disk. Leases of durable lists are written in the group of what was leased; a start finds
// those that were left behind, and ends them before anybody is served.

extension Store {
    /// A new lease, of nothing yet.
    package func makeLease() -> Lease {
        lastLeaseNumber += 1
        return Lease(number: lastLeaseNumber)
    }

    /// Takes away what is leased, unless somebody has taken it away already: the lists that were leased, the items with
    /// their descendants, and the sections that are empty then. Sections in which others have put something stay.
    ///
    /// On a full disk it is tried again after the next group that was written.
    package func end(_ lease: Lease, origin: Origin, completion: @escaping @Sendable () -> Void = {}) {
        guard case .running = condition, let numbers = leasedLists.removeValue(forKey: lease) else {
            return completion()
        }
        for number in numbers.sorted() { end(lease, of: number, origin: origin) }
        // Rests on all that was just begun: they are of one group.
        answer(whenSettled: completion)
    }

    private func end(_ lease: Lease, of number: Int, origin: Origin) {
        guard let leases = leases[number] else { return }
        // A deletion is on its way to the disk; if it does not come there, there is something to be done.
        guard let head = heldLists[leases.name]?.head, head.number == number else {
            return postponeEnd(of: lease, number, origin: origin)
        }
        // Nobody waits for an answer; a full disk is a reason to try again.
        let completion: Completion<ListState> = { result in
            guard case .failure(.noSpace) = result else { return }
            self.assumeIsolated { $0.postponeEnd(of: lease, number, origin: origin) }
        }
        let answer = Answer.list(completion, .success(head))
        if leases.list == lease { return delete(head, answer: answer) }
        let (new, operations) = head.snapshot.removing(leases.items(of: lease), leases.sections(of: lease))
        var change = LeaseChange(operations, from: head.snapshot, to: new, lease: nil, leases: leases) ?? LeaseChange()
        // Those that stay are nobody's now.
        for section in leases.sections(of: lease) { change.endedSections[section] = lease }
        if change.isEmpty { return }
        guard !operations.isEmpty else {
            return commit(ListChange(event: .unchanged, state: head, leases: change), answer: answer)
        }
        let state = head.moved(to: head.revision + 1, new)
        commit(
            ListChange(from: head, to: state, by: operations, at: now(), origin: origin, leases: change),
            answer: answer)
    }

    private func postponeEnd(of lease: Lease, _ number: Int, origin: Origin) {
        leasedLists[lease, default: []].insert(number)
        overdueLeases[lease] = origin
    }

    /// There is room on the disk again.
    func endOverdueLeases() {
        guard !overdueLeases.isEmpty else { return }
        let overdue = overdueLeases
        overdueLeases = [:]
        for (lease, origin) in overdue { end(lease, origin: origin) }
    }

    /// Ends what a last life of the daemon left behind.
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
    /// A change is its list's head now.
    func makeLeases(of change: ListChange) {
        guard let leaseChange = change.leases else { return }
        let number = change.state.number
        leases[number, default: Leases(of: change.state.name)].make(leaseChange)
        if leases[number]?.isEmpty == true { leases[number] = nil }
        if let lease = leaseChange.lease { leasedLists[lease, default: []].insert(number) }
    }

    /// A change is on disk.
    func settleLeases(of change: ListChange) {
        if case .deleted = change.event { leases[change.state.number] = nil }
    }

    /// Changes, in arrival order, have not come to the disk.
    func refuseLeases(of changes: [ListChange]) {
        for change in changes.reversed() {
            guard let leaseChange = change.leases else { continue }
            let number = change.state.number
            leases[number, default: Leases(of: change.state.name)].takeBack(leaseChange)
            if leases[number]?.isEmpty == true { leases[number] = nil }
        }
    }
}

extension Snapshot {
    /// Without the items, and without those of the sections that are empty then.
    fileprivate func removing(_ items: [ItemID], _ sections: [SectionID]) -> (Snapshot, [Operation]) {
        do throws(TransactionError) {
            var operations: [Operation] = items.isEmpty ? [] : [.deleteItems(items, .isPassedOver)]
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
