import Diffable

// A lease in a shared list belongs to one connection of one host. The log and checkpoints name the holder, so all hosts
// know it. When the connection ends, its host appends the end of the lease. If that host is absent, any other host does,
// with a compare-and-swap that requires this absence (`absent`), so a host that returns in time keeps its leases.
//
// No list of pending ends is kept: the replica is searched each time, because another host may have been first.

extension Store {
    /// Sets the present hosts according to etcd. Leases of all other hosts have ended.
    package func setHosts(_ hosts: [String]) {
        engine.hosts = Set(hosts)
        scheduleSharedLeaseEnds()
    }

    func isOver(_ holder: SharedHolder) -> Bool {
        if holder.life == engine.life { return !liveLeases.contains(holder.number) }
        // The holder is a lease of an earlier run of this host's daemon.
        if holder.host == engine.host { return true }
        return engine.hosts.map { !$0.contains(holder.host) } ?? false
    }

    /// The host that has to be absent for another host to end the lease. Nil for a lease of this host.
    private func hostThatMustBeGone(toEnd holder: SharedHolder) -> String? {
        holder.host == engine.host || holder.life == engine.life ? nil : holder.host
    }

    /// The holder that represents a lease of this daemon in the log.
    func holder(_ lease: Lease) -> SharedHolder {
        SharedHolder(host: engine.host, life: engine.life, number: lease.number)
    }

    /// Notes that the lease is used in a shared list, so that its end will be appended there.
    func useInSharedList(_ lease: Lease) {
        if liveLeases.contains(lease.number) { engine.leases.insert(lease.number) }
    }

    func endSharedLease(_ lease: Lease, origin: Origin) {
        guard engine.leases.remove(lease.number) != nil else { return }
        // The origin is not stored anywhere else.
        engine.endedLeases[lease.number] = origin
        scheduleSharedLeaseEnds()
    }

    /// Schedules the search after the queue's current work, because one batch can end several leases.
    func scheduleSharedLeaseEnds() {
        guard !engine.isLeaseEndScheduled else { return }
        engine.isLeaseEndScheduled = true
        executor.execute { self.assumeIsolated { $0.endSharedLeases() } }
    }

    private func endSharedLeases() {
        engine.isLeaseEndScheduled = false
        // The next connector triggers a new search.
        guard engine.send != nil, case .running = condition else { return }
        var ended = Set(engine.endedLeases.keys)
        for (lease, lists) in leasedLists {
            guard let holder = lease.holder else { continue }
            if holder.life == engine.life { ended.remove(holder.number) }
            guard isOver(holder) else { continue }
            for number in lists { end(lease, ofShared: number) }
        }
        // Nothing is left of these leases unless a request is still in progress.
        let isUnderway = storedLists.values.contains { $0.shared?.machine.isAwaited == true }
        if !isUnderway { for number in ended { engine.endedLeases[number] = nil } }
    }

    private func end(_ lease: Lease, ofShared number: Int) {
        guard let leases = leases[number], leases.hasSome(of: lease) else {
            leasedLists[lease]?.remove(number)
            if leasedLists[lease]?.isEmpty == true { leasedLists[lease] = nil }
            return
        }
        guard let held = storedLists[leases.name], let head = held.head, head.number == number, let shared = held.shared
        else { return }
        if leases.list == lease { return remove(head, leasedBy: lease, shared) }
        guard shared.leaseEnd == nil else { return }
        engine.lastRequest += 1
        let request = engine.lastRequest
        shared.leaseEnd = request
        shared.requests[request] = .leaseEnd
        change(held) { $0.addRequest(request, &$1) }
    }

    /// Forgets a request that the machine has dropped, and searches again.
    func forgetLeaseEnd(_ shared: SharedList) {
        shared.leaseEnd = nil
        scheduleSharedLeaseEnds()
    }

    // MARK: Batches

    /// Adds the removal of everything that ended leases own. Comes first in a batch, because only the replica's leases are known.
    func addLeaseEnds(
        _ number: SharingMachine.RequestNumber, to draft: inout BatchDraft, _ shared: SharedList
    ) -> DraftProgress {
        guard draft.rows.isEmpty else { return .full }
        if let leases = leases[draft.head.number] {
            var room = Self.leaseRoomMax
            for holder in leases.holders where isOver(holder) {
                guard appendRemovals(of: holder, in: leases, to: &draft, room: &room) else { break }
            }
        }
        if draft.rows.isEmpty {
            shared.requests[number] = nil
            shared.machine.forget(number)
            shared.leaseEnd = nil
        } else {
            draft.rows[draft.rows.count - 1].request = (number, .settled {})
            draft.built.requests.append(number)
        }
        return .done
    }

    /// Removes items and sections of a lease, as many as the batch has room for. Later batches remove the others, and
    /// the last row marks the end of the lease.
    /// - Parameter room: the number of items and sections that the batch still has room for.
    /// - Returns: whether nothing is left.
    private func appendRemovals(
        of holder: SharedHolder, in leases: Leases, to draft: inout BatchDraft, room: inout Int
    ) -> Bool {
        guard room > 0 else { return false }
        let (lease, list) = (Lease.shared(holder), draft.head.snapshot)
        // Each row has to remove something. Otherwise the next attempt would be the same.
        var items = leases.items(of: lease, max: room + 1) { list.contains($0) }.sorted()
        var sections = leases.sections(of: lease)
        var isLast =
            Self.prefix(of: items, max: room).count == items.count
            && Self.prefix(of: sections, max: room).count == sections.count
        if !isLast, !items.isEmpty {
            (items, sections) = (Self.prefix(of: items, max: room), [])
        } else if !isLast {
            let empty = sections.filter { list.numberOfItems(inSection: $0) == 0 }
            sections = Self.prefix(of: empty, max: room)
            isLast = sections.count == empty.count
        }
        room -= items.count + sections.count
        let (new, operations) = list.removing(items, sections)
        let isChange = !operations.isEmpty
        guard isChange || isLast else { return false }
        var row = SharedRow(
            operations: operations, time: clock.now.timeOfDay.milliseconds, origin: origin(ofEndOf: holder))
        if isLast { row.endedLease = holder }
        let state = isChange ? draft.head.moved(to: draft.head.revision + 1, new) : draft.head
        let made = isChange ? ComputedChange(new: new, operations: operations) : nil
        let hasRoom = try? append(DraftedRow(row: row, made: made, state: state), to: &draft)
        guard hasRoom == true else { return false }
        if let host = hostThatMustBeGone(toEnd: holder) { draft.absent.insert(host) }
        return isLast
    }

    /// The ids that fit in one row, at least one.
    private static func prefix<Name>(of ids: [Identifier<Name>], max: Int) -> [Identifier<Name>] {
        var length = 0
        let some = ids.prefix(max).prefix { id in
            let isFirst = length == 0
            length += (id.description.utf8.count + 1) * escapeLengthMax
            return isFirst || length < BatchDraft.lengthMax / 2
        }
        return Array(some)
    }

    /// The maximum length of one byte in JSON.
    private static let escapeLengthMax = 6

    private func origin(ofEndOf holder: SharedHolder) -> Origin {
        if holder.life == engine.life, let origin = engine.endedLeases[holder.number] {
            return origin.named(on: engine.host)
        }
        if holder.life == engine.life { return Origin(name: "lease ended").named(on: engine.host) }
        let reason = holder.host == engine.host ? "restart" : "\(holder.host) is gone"
        return Origin(name: "lease ended: \(reason)").named(on: engine.host)
    }

    func leaseChange(by row: DraftedRow, from head: ListState) -> LeaseChange? {
        let leases = leases[head.number]
        let lease = row.row.lease.map(Lease.shared)
        guard lease != nil || leases != nil else { return nil }
        var change = row.made.flatMap {
            LeaseChange(
                $0.operations, from: head.snapshot, to: row.state.snapshot, lease: lease, leases: leases)
        }
        if let ended = row.row.endedLease.map(Lease.shared), let leases {
            var all = change ?? LeaseChange()
            all.endedSections += leases.sections(of: ended)
            all.endedItems += leases.items(of: ended)
            change = all
        }
        guard let change, !change.isEmpty else { return nil }
        return change
    }

    // MARK: Whole states

    /// Replaces the list's leases with those in a complete state.
    func adoptLeases(_ told: [SharedLeaseText], _ held: StoredList) {
        guard let head = held.head else { return }
        if let leases = leases[head.number] {
            for holder in leases.holders {
                let former = SharedLeaseText(holder, of: leases)
                let change = LeaseChange(endedSections: former.sections, endedItems: former.items)
                if !change.isEmpty { commitLeases(change, head, held) }
            }
        }
        for lease in told {
            var change = lease.change
            // A list's own lease dates from its creation, so it exists already.
            if leases[head.number]?.list != nil { change.isOfList = false }
            if !change.isEmpty { commitLeases(change, head, held) }
        }
    }

    private func commitLeases(_ change: LeaseChange, _ head: ListState, _ held: StoredList) {
        commit(ListChange(event: .unchanged, state: head, leases: change), of: held, answer: .settled {})
    }

    // MARK: Leased lists

    /// Deletes a list for good because its own lease ended.
    private func remove(_ head: ListState, leasedBy lease: Lease, _ shared: SharedList) {
        guard !shared.isBeingRemoved, shared.machine.isLive, let holder = lease.holder else { return }
        shared.isBeingRemoved = true
        let absent = hostThatMustBeGone(toEnd: holder)
        let origin = origin(ofEndOf: holder)
        removeSharedList(head, keeping: .never, origin: origin, absent: absent) { [name = head.name] _ in
            self.assumeIsolated { $0.storedLists[name]?.shared?.isBeingRemoved = false }
        }
    }

    /// Turns leases of a list that is no longer shared into leases left behind. Their items are removed at an undelete.
    func leasesLeftBehind(by head: ListState) -> LeaseChange? {
        guard let leases = leases[head.number], leases.list == nil else { return nil }
        var change = LeaseChange(lease: .leftBehind)
        for holder in leases.holders {
            let lease = Lease.shared(holder)
            change.endedSections += leases.sections(of: lease)
            change.endedItems += leases.items(of: lease)
        }
        (change.sections, change.items) = (change.endedSections, change.endedItems)
        return change.isEmpty ? nil : change
    }
}
