import Diffable
import Logging

// A lease belongs to a connection. When it ends, everything inserted under it is deleted, in one transaction for each
// list. Leases of durable lists are written with the change. At startup the store ends the leases that the previous
// daemon left, before it serves any client.

extension Store {
    package func makeLease() -> Lease {
        lastLeaseNumber += 1
        liveLeases.insert(lastLeaseNumber)
        return Lease(number: lastLeaseNumber)
    }

    /// Deletes everything the lease still owns: lists, items with their descendants, and sections that are then empty.
    /// Sections with items of other clients stay.
    ///
    /// On a full disk, it is tried again after the next commit group that is written.
    package func end(_ lease: Lease, origin: Origin, completion: @escaping @Sendable () -> Void = {}) {
        liveLeases.remove(lease.number)
        endSharedLease(lease, origin: origin)
        guard case .running = condition, let numbers = leasedLists.removeValue(forKey: lease) else {
            return completion()
        }
        for number in numbers.sorted() { end([lease], of: number, origin: origin) }
        // Waiting for the current group is enough, because all deletions are in it.
        answer(whenSettled: completion)
    }

    /// Ends leases of one list in one transaction.
    ///
    /// If they own many items, the change is computed in the background. Other changes of the list wait for it, so a
    /// client that reconnects does not find the items that it leased before.
    func end(_ ended: [Lease], of number: Int, origin: Origin, _ found: (head: ListState, end: LeaseEnd)? = nil) {
        // The next startup ends the leases that are still on disk.
        guard case .running = condition, let leases = leases[number] else { return }
        // The items of a deleted list are removed if it is undeleted.
        if let deletion = deletions[number], deletion.committed != nil, deletion.head != nil { return }
        // A deletion is not on disk yet. If it fails, the leases still have to be ended.
        guard let held = storedLists[leases.name], let head = held.head, head.number == number else {
            return postponeEnd(of: ended, number, origin: origin)
        }
        if let lease = leases.list, ended.contains(lease) {
            return delete(head, keeping: nil, answer: answer(toEndOf: ended, head, origin: origin))
        }
        if leases.count(of: ended) == 0 { return }
        if held.isReserved {
            return held.waiting.append { store in store.end(ended, of: number, origin: origin) }
        }
        if let found, found.head === head, found.end.isComputed(for: ended, of: leases) {
            commit(found.end, head, origin: origin)
        } else if let background, let size = backgroundSize(of: ended, head.snapshot, leases) {
            held.isReserved = true
            let list = ReservedList(held: held, isReserved: true)
            background.compute(size: size, { LeaseEnd(of: ended, head.snapshot, leases) }) { end in
                self.assumeIsolated { store in
                    list.held.isReserved = false
                    store.end(ended, of: number, origin: origin, (head, end))
                    background.free((end, leases), size)
                    if !list.held.isReserved { store.release(list) }
                }
            }
        } else {
            commit(LeaseEnd(of: ended, head.snapshot, leases), head, origin: origin)
        }
    }

    func commit(_ end: LeaseEnd, _ head: ListState, origin: Origin) {
        let answer = answer(toEndOf: end.ended, head, origin: origin)
        guard !end.made.operations.isEmpty else {
            return commit(ListChange(event: .unchanged, state: head, leases: end.change), answer: answer)
        }
        let state = head.moved(to: head.revision + 1, end.made.new)
        commit(
            ListChange(from: head, to: state, by: end.made, at: clock.now, origin: origin, leases: end.change),
            answer: answer)
    }

    /// Creates the reply to the end of leases. No client waits for it, but it tries again if the disk was full.
    private func answer(toEndOf ended: [Lease], _ head: ListState, origin: Origin) -> DeferredReply {
        .list(
            { result in
                guard case .failure(.noSpace) = result else { return }
                self.assumeIsolated { $0.postponeEnd(of: ended, head.number, origin: origin) }
            }, .success(head))
    }

    /// The number of items that the end of leases removes, if that is too much for the queue. All leases that end in
    /// the queue's current work share one allowance.
    func backgroundSize(of ended: [Lease], _ list: Snapshot, _ leases: Leases) -> Int? {
        guard background != nil else { return nil }
        var size = leases.count(of: ended)
        if size <= leaseRoom {
            let items = ended.flatMap { leases.items(of: $0, max: leaseRoom) }
            size = [.deleteItems(items)].size(in: list, max: leaseRoom)
        }
        if size > leaseRoom { return size }
        if leaseRoom == Self.leaseRoomMax {
            executor.execute { self.assumeIsolated { $0.leaseRoom = Self.leaseRoomMax } }
        }
        leaseRoom -= size
        return nil
    }

    /// In items: about two milliseconds of work.
    static let leaseRoomMax = 512

    private func postponeEnd(of ended: [Lease], _ number: Int, origin: Origin) {
        for lease in ended {
            leasedLists[lease, default: []].insert(number)
            overdueLeases[lease] = origin
        }
    }

    /// Tries again to end leases that a full disk prevented.
    func endOverdueLeases() {
        guard !overdueLeases.isEmpty else { return }
        let overdue = overdueLeases
        overdueLeases = [:]
        for (lease, origin) in overdue { end(lease, origin: origin) }
    }

    func endLeasesLeftBehind() async {
        guard leasedLists[.leftBehind] != nil else { return }
        await withCheckedContinuation { continuation in
            end(.leftBehind, origin: Origin(name: "lease ended: restart")) { continuation.resume() }
        }
        if !overdueLeases.isEmpty {
            logger.warning(
                """
                the disk is full, so leased items of earlier clients stay in their lists; free some space, and the next change \
                removes them
                """)
        }
    }
}

// MARK: - Following changes

extension Store {
    /// Updates the leases after a change has become its list's head.
    /// - Parameter isAtOnce: whether the change belongs to no commit group.
    func makeLeases(of change: ListChange, isAtOnce: Bool) {
        let number = change.state.number
        let isUndeleted = if case .undeleted = change.event { leases[number] != nil } else { false }
        guard change.leases != nil || isUndeleted else { return }
        if !isAtOnce { gathering.rememberFormerLeases(leases[number], of: number) }
        if isUndeleted { leases[number]?.name = change.state.name }
        guard let leaseChange = change.leases else { return }
        if let after = leaseChange.after {
            leases[number] = after
            if after.name != change.state.name { leases[number]?.name = change.state.name }
        } else {
            leases[number, default: Leases(of: change.state.name)].apply(leaseChange)
        }
        if leases[number]?.isEmpty == true { leases[number] = nil }
        if let lease = leaseChange.lease { leasedLists[lease, default: []].insert(number) }
    }

    func settleLeases(of change: ListChange) {
        if change.isEnd, let former = leases.removeValue(forKey: change.state.number) {
            background?.free(former, former.count)
        }
        // After an advance, the list has a new number, and its leases come with the new state.
        if case .advanced(let former, _) = change.event { leases[former.number] = nil }
    }

    /// Restores the leases from before commit groups that were not written. The newest group is first.
    func refuseLeases(of groups: [CommitGroup]) {
        for group in groups {
            for (number, former) in group.formerLeases { leases[number] = former }
        }
    }
}

extension Snapshot {
    /// Deletes the items, and any of the sections that are then empty.
    func removing(_ items: [ItemID], _ sections: [SectionID]) -> (Snapshot, [ListOperation]) {
        do throws(TransactionError) {
            var operations: [ListOperation] = items.isEmpty ? [] : [.deleteItems(items, .isPassedOver)]
            let rest = try applying(operations)
            let empty = sections.filter { rest.numberOfItems(inSection: $0) == 0 }
            if !empty.isEmpty { operations.append(.deleteSections(empty, .isPassedOver)) }
            let new = empty.isEmpty ? rest : try applying(operations)
            return (new, new.difference(from: self, after: operations))
        } catch {
            preconditionFailure("what may be absent can be deleted: \(error)")
        }
    }
}
