import Diffable

// What is leased in a shared list is held by one connection of one host, and is known to be so on all of them: the log and
// checkpoints say it. When that connection ends, its host appends that it is over. When the host is gone, any other does, and
// the swap has it that the host is not there (`absent`): who comes back in time keeps what is held there.
//
// Nothing remembers what is to be ended: it is looked up in the replica each time, so that another host may have been first.

extension Store {
    /// Which hosts there are that share lists, as the engine says. What is held by others is over.
    package func setHosts(_ hosts: [String]) {
        engine.hosts = Set(hosts)
        scheduleSharedLeaseEnds()
    }

    /// Whether nobody holds it any more.
    func isOver(_ holder: SharedHolder) -> Bool {
        if holder.life == engine.life { return !liveLeases.contains(holder.number) }
        // An earlier daemon of this host.
        if holder.host == engine.host { return true }
        return engine.hosts.map { !$0.contains(holder.host) } ?? false
    }

    /// Nil for one of this host, whose end nobody else knows better.
    private func hostThatMustBeGone(toEnd holder: SharedHolder) -> String? {
        holder.host == engine.host || holder.life == engine.life ? nil : holder.host
    }

    /// The holder that a lease of this daemon is in the log.
    func holder(_ lease: Lease) -> SharedHolder {
        SharedHolder(host: engine.host, life: engine.life, number: lease.number)
    }

    /// Something of a shared list is asked for with the lease, so its end is to be told there.
    func useInSharedList(_ lease: Lease) {
        if liveLeases.contains(lease.number) { engine.leases.insert(lease.number) }
    }

    /// One of this daemon's is over.
    func endSharedLease(_ lease: Lease, origin: Origin) {
        guard engine.leases.remove(lease.number) != nil else { return }
        // Nothing else says who it was.
        engine.endedLeases[lease.number] = origin
        scheduleSharedLeaseEnds()
    }

    /// After what is being done: a batch may hold several leases.
    func scheduleSharedLeaseEnds() {
        guard !engine.isLeaseEndScheduled else { return }
        engine.isLeaseEndScheduled = true
        executor.execute { self.assumeIsolated { $0.endSharedLeases() } }
    }

    private func endSharedLeases() {
        engine.isLeaseEndScheduled = false
        // Without a connector nothing can be said, and the next one has it looked for again.
        guard engine.send != nil, case .running = condition else { return }
        var ended = Set(engine.endedLeases.keys)
        for (lease, lists) in leasedLists {
            guard let holder = lease.holder else { continue }
            if holder.life == engine.life { ended.remove(holder.number) }
            guard isOver(holder) else { continue }
            for number in lists { end(lease, ofShared: number) }
        }
        // Of these nothing is left, unless it is still under way.
        let isUnderway = heldLists.values.contains { $0.shared?.machine.isAwaited == true }
        if !isUnderway { for number in ended { engine.endedLeases[number] = nil } }
    }

    private func end(_ lease: Lease, ofShared number: Int) {
        guard let leases = leases[number], leases.hasSome(of: lease) else {
            leasedLists[lease]?.remove(number)
            if leasedLists[lease]?.isEmpty == true { leasedLists[lease] = nil }
            return
        }
        guard let held = heldLists[leases.name], let head = held.head, head.number == number, let shared = held.shared
        else { return }
        if leases.list == lease { return remove(head, leasedBy: lease, shared) }
        guard shared.leaseEnd == nil else { return }
        engine.lastRequest += 1
        let request = engine.lastRequest
        shared.leaseEnd = request
        shared.requests[request] = .leaseEnd
        change(held) { $0.ask(request, &$1) }
    }

    /// The machine has no place for it any more. What is still to be ended is looked for anew.
    func forgetLeaseEnd(_ shared: SharedList) {
        shared.leaseEnd = nil
        scheduleSharedLeaseEnds()
    }

    // MARK: Batches

    /// Takes what is over out of the draft's list. What is leased is known of the replica alone, so this comes first in a batch.
    func addLeaseEnds(
        _ number: SharingMachine.RequestNumber, to draft: inout BatchDraft, _ shared: SharedList
    ) -> Drafting {
        guard draft.rows.isEmpty else { return .full }
        if let leases = leases[draft.head.number] {
            var room = Self.leaseRoomMax
            for holder in leases.holders where isOver(holder) {
                guard append(endOf: holder, in: leases, to: &draft, room: &room) else { break }
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

    /// Removes items and sections of a lease, as many as the batch has room for. The next batches remove the others, and the
    /// last row marks the end of the lease.
    ///
    /// - Parameter room: how many items and sections the batch still has room for.
    /// - Returns: whether nothing is left.
    private func append(
        endOf holder: SharedHolder, in leases: Leases, to draft: inout BatchDraft, room: inout Int
    ) -> Bool {
        guard room > 0 else { return false }
        let (lease, list) = (Lease.shared(holder), draft.head.snapshot)
        // Each part removes something. Otherwise the next part would be the same.
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
        let made = isChange ? MadeChange(new: new, operations: operations) : nil
        let hasRoom = try? append(DraftedRow(row: row, made: made, state: state), to: &draft)
        guard hasRoom == true else { return false }
        if let host = hostThatMustBeGone(toEnd: holder) { draft.absent.insert(host) }
        return isLast
    }

    /// The ids that one row has room for, at least one.
    private static func prefix<Name>(of ids: [Identifier<Name>], max: Int) -> [Identifier<Name>] {
        var length = 0
        let some = ids.prefix(max).prefix { id in
            let isFirst = length == 0
            length += (id.description.utf8.count + 1) * escapeLengthMax
            return isFirst || length < BatchDraft.lengthMax / 2
        }
        return Array(some)
    }

    /// A byte is no longer in JSON.
    private static let escapeLengthMax = 6

    private func origin(ofEndOf holder: SharedHolder) -> Origin {
        if holder.life == engine.life, let origin = engine.endedLeases[holder.number] {
            return origin.named(on: engine.host)
        }
        if holder.life == engine.life { return Origin(name: "lease ended").named(on: engine.host) }
        let reason = holder.host == engine.host ? "restart" : "\(holder.host) is gone"
        return Origin(name: "lease ended: \(reason)").named(on: engine.host)
    }

    /// What a row of the log does to the leases of its list.
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

    /// What is leased is what a whole state says, and nothing else.
    func takeLeases(_ told: [SharedLeaseText], _ held: HeldList) {
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
            // A list is leased from its beginning on, under whichever number.
            if leases[head.number]?.list != nil { change.isOfList = false }
            if !change.isEmpty { commitLeases(change, head, held) }
        }
    }

    private func commitLeases(_ change: LeaseChange, _ head: ListState, _ held: HeldList) {
        commit(ListChange(event: .unchanged, state: head, leases: change), of: held, answer: .settled {})
    }

    // MARK: Leased lists

    /// The list itself is leased: it goes as its owner would delete it for good.
    private func remove(_ head: ListState, leasedBy lease: Lease, _ shared: SharedList) {
        guard !shared.isBeingRemoved, shared.machine.isLive, let holder = lease.holder else { return }
        shared.isBeingRemoved = true
        let absent = hostThatMustBeGone(toEnd: holder)
        let origin = origin(ofEndOf: holder)
        removeSharedList(head, keeping: .never, origin: origin, absent: absent) { [name = head.name] _ in
            self.assumeIsolated { $0.heldLists[name]?.shared?.isBeingRemoved = false }
        }
    }

    /// What was leased while hosts shared the list is to go when it comes back, as what a daemon left.
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
