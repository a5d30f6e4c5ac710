import Diffable

// A deleted list is kept for a while and can be undeleted with its epoch, revision, history, request keys and access. Deletion,
// undeletion and purge are changes like any other: each becomes the head at once and is settled or refused with its commit group.

extension Store {
    /// Undeletes the list of this name that was deleted last. The peer has to be its owner or root.
    ///
    /// Items whose leases have ended since are removed in the same commit group.
    /// - Parameters:
    ///   - epoch: selects one of several deleted lists with the same name; nil for the newest one.
    ///   - newName: the list's new name; nil to keep the old one.
    @discardableResult
    package func undeleteList(
        _ name: ListName, epoch: String? = nil, as newName: ListName? = nil, by peer: Peer = .daemon,
        completion: @escaping Completion<ListState>
    ) -> RequestProgress {
        undeleteList(name, epoch: epoch, as: newName ?? name, by: peer, nil, completion: completion)
    }

    /// - Parameter found: the end of leases, computed in the background for this deletion.
    private func undeleteList(
        _ name: ListName, epoch: String?, as newName: ListName, by peer: Peer, _ found: (Deletion, LeaseEnd)?,
        completion: @escaping Completion<ListState>
    ) -> RequestProgress {
        if let refusal {
            completion(.failure(refusal))
            return .done
        }
        let deleted: DeletedList
        do throws(StoreError) {
            if isSeen(newName, by: peer) { throw .nameTaken(newName) }
            // Checked after `isSeen`: a peer with nothing to undelete must not learn that a list it may not read has this name.
            deleted = try deletedList(name, epoch, for: peer)
            // The owner may use the list's old name even if the rules no longer allow it to create one.
            let mayTake = newName == name || accessRules.mayCreate(newName, peer)
            if !mayTake || storedLists[newName]?.head != nil { throw accessRules.creationDenial(newName, peer) }
            let owner = accessRules.access(of: newName, deleted.access).owner
            try checkRoomForList(of: owner, by: peer)
            try checkRoom(for: deleted, called: newName, of: owner, by: peer)
        } catch {
            // Waits, because if an undeletion or purge of the same list is not written, the list can be undeleted again.
            let answer = DeferredReply.list(completion, .failure(error))
            if isBeingUndeletedOrPurged(name, for: peer) {
                self.answer(whenSettled: answer)
            } else {
                self.answer(answer, about: newName, to: peer)
            }
            return .done
        }
        if deleted.kept.whole == nil, let background, deleted.numberOfItems > background.sizeMax {
            background.compute(size: deleted.numberOfItems, { deleted.unpacked() }) { unpacked in
                self.assumeIsolated {
                    $0.replaceState(with: unpacked)
                    $0.undeleteList(name, epoch: unpacked.epoch, as: newName, by: peer, completion: completion)
                }
            }
            return .underway
        }
        let state = deleted.state
        var end: LeaseEnd?
        let ended = leasesThatEnded(of: deleted.number)
        if !ended.isEmpty, let leases = leases[deleted.number] {
            if let (deletion, found) = found, deletion == deleted.deletion, found.isComputed(for: ended, of: leases) {
                end = found
            } else if let background, let size = backgroundSize(of: ended, state.snapshot, leases) {
                background.compute(size: size, { LeaseEnd(of: ended, state.snapshot, leases) }) { end in
                    self.assumeIsolated {
                        _ = $0.undeleteList(
                            name, epoch: deleted.epoch, as: newName, by: peer, (deleted.deletion, end),
                            completion: completion)
                    }
                    background.free((end, leases), size)
                }
                return .underway
            } else {
                end = LeaseEnd(of: ended, state.snapshot, leases)
            }
        }
        reinsert(state, as: newName, deleted.access, deleted.schemas)
        if let end, let head = storedLists[newName]?.head {
            commit(end, head, origin: Origin(name: "lease ended: undelete"))
        }
        // The reply depends on the undeletion and on the removal of leased items.
        guard let head = storedLists[newName]?.head else { preconditionFailure("a list that came back is there") }
        answer(.list(completion, .success(head)), about: newName)
        return .done
    }

    /// Renames a list with everything that belongs to it. Followers see a deletion; clients that wait for the new name get it.
    package func renameList(
        _ name: ListName, to newName: ListName, ifRevision: Int? = nil, by peer: Peer = .daemon,
        completion: @escaping Completion<ListState>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        let head: ListState
        do throws(StoreError) {
            head = try governedHead(of: name, by: peer, otherwise: .renaming)
            if storedLists[name]?.shared != nil { throw .notForShared(name, .renaming) }
            if let ifRevision, ifRevision != head.revision {
                throw .revisionMismatch(name, expected: ifRevision, current: head.revision)
            }
        } catch {
            return answer(.list(completion, .failure(error)), about: name, to: peer)
        }
        do throws(StoreError) {
            if isSeen(newName, by: peer) { throw .nameTaken(newName) }
            guard storedLists[newName]?.head == nil, accessRules.mayCreate(newName, peer) else {
                throw accessRules.creationDenial(newName, peer)
            }
        } catch {
            return answer(.list(completion, .failure(error)), about: newName, to: peer)
        }
        let access = currentAccess(of: name).record
        let schemas = storedLists[name]?.headSchemas
        // Both changes have to become visible together. So if the new name waits for the disk, a volatile list waits too.
        if let group = storedLists[newName]?.group, group > settledGroup { storedLists[name]?.group = group }
        delete(head, keeping: Deletion(moment: clock.now, origin: nil), answer: .settled {})
        reinsert(head, as: newName, access, schemas)
        guard let head = storedLists[newName]?.head else { preconditionFailure("a list that was renamed is there") }
        answer(.list(completion, .success(head)), about: newName)
    }

    /// The deleted lists that the peer may undelete, newest first. O(deleted lists).
    package func deletedLists(for peer: Peer) -> [(list: DeletedList, access: ListAccess)] {
        let now = clock.running
        return deletions.values.compactMap { held -> (list: DeletedList, access: ListAccess)? in
            guard held.head != nil, let deleted = held.committed, !isTooOld(deleted, now) else { return nil }
            let access = accessRules.access(of: deleted.name, deleted.access)
            return accessRules.isGoverned(deleted.name, deleted.access, by: peer) ? (deleted, access) : nil
        }.sorted { $0.list.isNewer(than: $1.list) }
    }
}

// MARK: - Deleting

extension Store {
    /// Why the list could not be undeleted if it were deleted now. Nil if it could.
    func loss(of head: ListState) -> DeletionLoss? {
        let max = limits.history.deletedLengthMax
        if max == 0 || limits.history.ageMax == 0 { return .keepsNone }
        if leases[head.number]?.list != nil { return .leased }
        return DeletedList.length(of: head, storedLists[head.name]?.headSchemas) > max ? .tooLong(max: max) : nil
    }

    /// Decides which parts of a list are kept when it is deleted. Nil if it cannot be undeleted.
    func deletion(of head: ListState, keeping: DeletedListKeeping = .ifPossible, by origin: Origin?) -> Deletion? {
        let owner = currentAccess(of: head.name).effective.owner
        if let loss = keeping == .never ? .unwanted : loss(of: head) {
            deletionLosses.append(head.name, of: owner, loss)
            return nil
        }
        let earlier = deletedLists(called: head.name, of: owner)
        // An unchanged list is not worth keeping, and would hide the earlier deleted list of its name.
        if head.revision == 0, !earlier.isEmpty { return nil }
        let countMax = DeletedList.countOfNameMax
        if earlier.count >= countMax, let oldest = earlier.min(by: { $1.isNewer(than: $0) }) {
            purge(oldest, .madeRoomForLater(count: countMax))
        }
        // Each deletion gets a distinct running time, so that their order is known even within a millisecond.
        let now = clock.now
        let next = RunningTime(milliseconds: newestDeletion.milliseconds + 1)
        newestDeletion = Swift.max(now.running, next)
        return Deletion(moment: Moment(timeOfDay: now.timeOfDay, running: newestDeletion), origin: origin)
    }

    /// Filters by name before unwrapping: there may be thousands of lists, and copying each is the main cost.
    private func deletedLists(called name: ListName, of owner: UInt32) -> [DeletedList] {
        deletions.values.filter { $0.head?.name == name }.compactMap(\.head)
            .filter { accessRules.access(of: name, $0.access).owner == owner }
    }

    private func purge(_ deleted: DeletedList) {
        let number = deleted.number
        let held = StoredList(access: storedAccess(deleted.access, of: deleted.name))
        // A purge must not become visible before the deletion.
        if deletions[number]?.isSettled != true { held.group = gathering.number }
        let leases = leases[number].map { _ in LeaseChange(endsAll: true) }
        commit(
            ListChange(event: .purged, state: deleted.kept.wholeOrHeading, leases: leases), of: held,
            answer: .settled {})
    }

    /// Purges deleted lists that are too old or exceed the total limit. The user with the most bytes of deleted lists
    /// loses the oldest one first, so a user can evict only lists of users with more.
    func purgeDeletedLists() {
        if deletions.isEmpty { areDeletionsUncounted = false }
        guard case .running = condition, !deletions.isEmpty else { return }
        let now = clock.running
        if let oldest = oldestDeletion, oldest.isOlder(than: limits.history.ageMax, at: now) {
            for deleted in deletions.values.compactMap(\.head) where isTooOld(deleted, now) { purge(deleted, .tooOld) }
            oldestDeletion = deletions.values.compactMap(\.head?.deletion.moment.running).min()
        }
        if areDeletionsUncounted {
            areDeletionsUncounted = false
            purgeDeletedLists(beyond: limits.history.deletedLengthMax)
        }
    }

    /// O(d log d) for d deleted lists.
    private func purgeDeletedLists(beyond max: Int) {
        // A deletion counts once it is on disk.
        let counted = deletions.values.lazy.filter(\.isSettled)
        var length = counted.reduce(0) { $0 + ($1.committed?.length ?? 0) }
        guard length > max else { return }
        let deleted = Array(counted.compactMap(\.committed))
        // The oldest deletion of each user is last.
        var lists = Dictionary(grouping: deleted) { storedAccess($0.access, of: $0.name).user }
            .mapValues { (lists: $0.sorted { $0.isNewer(than: $1) }, length: $0.reduce(0) { $0 + $1.length }) }
        var count = deleted.count
        while length > max, let owner = lists.max(by: { ($0.value.length, $1.key) < ($1.value.length, $0.key) })?.key,
            let oldest = lists[owner]?.lists.popLast()
        {
            if count == 1, let held = deletions[oldest.number], oldest.lengthWithoutPast <= max {
                // The only remaining list keeps its content and loses old history.
                held.committed?.history.shorten(to: max - oldest.lengthWithoutPast, .newest)
                return
            }
            lists[owner]?.length -= oldest.length
            length -= oldest.length
            count -= 1
            purge(oldest, .madeRoom(max: max))
        }
    }

    private func purge(_ deleted: DeletedList, _ loss: DeletionLoss) {
        let owner = accessRules.access(of: deleted.name, deleted.access).owner
        deletionLosses.append(deleted.name, of: owner, loss)
        purge(deleted)
    }

    private func isTooOld(_ deleted: DeletedList, _ now: RunningTime) -> Bool {
        limits.history.isExpired(deleted.deletion.moment.running, now: now)
    }
}

// MARK: - Coming back

extension Store {
    private func isSeen(_ name: ListName, by peer: Peer) -> Bool {
        guard let held = storedLists[name], held.head != nil else { return false }
        return held.headAccess.rights(of: peer).contains(.read)
    }

    /// Whether a deleted list of the peer is being undeleted or purged, which may still fail.
    private func isBeingUndeletedOrPurged(_ name: ListName, for peer: Peer) -> Bool {
        deletions.values.contains { held in
            guard held.head == nil, let deleted = held.committed, deleted.name == name else { return false }
            return accessRules.isGoverned(name, deleted.access, by: peer)
        }
    }

    private func deletedList(_ name: ListName, _ epoch: String?, for peer: Peer) throws(StoreError) -> DeletedList {
        let now = clock.running
        let deleted = deletions.values.compactMap(\.head).filter { deleted in
            deleted.name == name && epoch.map { $0 == deleted.epoch } ?? true && !isTooOld(deleted, now)
                && accessRules.isGoverned(name, deleted.access, by: peer)
        }
        if let newest = deleted.max(by: { $1.isNewer(than: $0) }) { return newest }
        throw .noDeletedList(name, ageMax: limits.history.ageMax, deletionLosses.reason(for: name, peer))
    }

    private func reinsert(
        _ state: ListState, as name: ListName, _ access: AccessRecord, _ schemas: ListSchemas?
    ) {
        let held = storedLists[name] ?? StoredList(access: storedAccess(access, of: name))
        // An undeletion must not become visible before the deletion.
        if deletions[state.number]?.isSettled != true { held.group = gathering.number }
        commit(
            ListChange(
                event: .undeleted(from: state.name), state: state.named(name), access: access, schemas: schemas),
            of: held, answer: .settled {})
    }

    private func leasesThatEnded(of number: Int) -> [Lease] {
        leases[number]?.leases.filter { leasedLists[$0]?.contains(number) != true }.sorted { $0.number < $1.number }
            ?? []
    }
}

// MARK: - Following changes

extension Store {
    /// Updates the head of a deletion after a change became its list's head.
    func holdDeletion(of change: ListChange, _ list: StoredList) {
        let number = change.state.number
        switch change.event {
        case .deleted(let deletion?):
            let held = deletions[number] ?? StoredDeletion()
            deletions[number] = held
            held.head = DeletedList(
                state: change.state, deletion: deletion, access: list.headAccess.record, schemas: list.headSchemas)
            oldestDeletion = min(oldestDeletion ?? deletion.moment.running, deletion.moment.running)
        case .undeleted, .purged: deletions[number]?.head = nil
        case .created, .stepped, .advanced, .unchanged, .deleted(nil): break
        }
    }

    /// Keeps a deletion that is on disk, with the list's history.
    func settleDeletion(of change: ListChange, _ deletion: Deletion, _ list: StoredList) {
        // The head may already have been undeleted. If an earlier undeletion is on disk too, nothing is held.
        let held = deletions[change.state.number] ?? StoredDeletion()
        deletions[change.state.number] = held
        held.committed = DeletedList(
            state: change.state, deletion: deletion, access: list.access.record, schemas: list.schemas,
            history: list.history.withoutRecentStates)
        areDeletionsUncounted = true
        unpackedDeletions.append(change.state.number)
    }

    /// Packs newly deleted lists. A list that was renamed is no longer deleted and stays as it is.
    func packDeletions() {
        for number in unpackedDeletions { packDeletion(of: number) }
        unpackedDeletions.removeAll()
    }

    /// Packs a deleted list, because few are ever undeleted.
    private func packDeletion(of number: Int) {
        guard let held = deletions[number], held.head != nil, let deleted = held.committed else { return }
        guard let background, deleted.numberOfItems > background.sizeMax else { return replace(with: deleted.packed()) }
        background.compute(size: deleted.numberOfItems, { deleted.packed() }) { packed in
            self.assumeIsolated { $0.replace(with: packed) }
            background.free(deleted, deleted.numberOfItems)
        }
    }

    /// Replaces the same deletion with its packed form, unless the list is being undeleted.
    private func replace(with packed: DeletedList) {
        guard let held = deletions[packed.number], let committed = held.committed, let head = held.head,
            committed.deletion == packed.deletion, head.deletion == packed.deletion
        else { return }
        // The history was shortened in the meantime.
        guard committed.history.isSame(as: packed.history) else { return packDeletion(of: packed.number) }
        held.head = head.with(stateOf: packed)
        held.committed = packed
    }

    /// Unpacks the state of the same deletion, unless the list is being undeleted. The history stays packed.
    private func replaceState(with unpacked: DeletedList) {
        guard let held = deletions[unpacked.number], let committed = held.committed, let head = held.head,
            committed.deletion == unpacked.deletion, head.deletion == unpacked.deletion
        else { return }
        held.head = head.with(stateOf: unpacked)
        held.committed = committed.with(stateOf: unpacked)
    }

    /// Releases a deletion after an undeletion or purge is on disk, and returns it.
    func releaseDeletion(of number: Int) -> DeletedList? {
        guard let held = deletions[number] else { return nil }
        let deleted = held.committed
        held.committed = nil
        if held.head == nil { deletions[number] = nil }
        return deleted
    }

    /// Restores the deletion after a change that was not written.
    func refuseDeletion(of number: Int) {
        guard let held = deletions[number] else { return }
        held.head = held.committed
        if held.head == nil { deletions[number] = nil }
    }
}

extension DeletedList {
    fileprivate func isNewer(than other: DeletedList) -> Bool {
        deletion.moment.running > other.deletion.moment.running
    }
}
