import Diffable

// A list counts towards its owner's limits, like a file, even if other users fill it. A subordinate user id counts towards
// its user. No limit applies to root and the daemon's user, neither to their lists nor to their changes of other lists.

extension Store {
    /// Whether the lists are much smaller than at their largest since this last returned `.much`.
    package func noteShrinking() -> Shrinking { usages.noteShrinking() }

    /// Checks the limits for one more list of an owner.
    ///
    /// Root can create lists even if other users have filled `listsMax`. A user without a list can then still create one.
    func checkRoomForList(of owner: UInt32, by peer: Peer) throws(StoreError) {
        let unlimited = usages.numberOfUnlimitedLists
        if peer.isPrivileged {
            if unlimited < limits.listsMax { return }
            throw .tooManyLists(max: limits.listsMax)
        }
        let user = limits.subordinates.user(of: owner)
        let lists = usages[user]?.lists ?? 0
        if Usage.isLimited(user), lists >= limits.listsPerUserMax {
            throw .tooManyListsOfUser(user, max: limits.listsPerUserMax)
        }
        if numberOfHeads < limits.listsMax { return }
        let isFirst = Usage.isLimited(user) && lists == 0
        if isFirst, numberOfHeads - unlimited < limits.listsMax + StoreLimits.firstListsKept { return }
        throw .tooManyLists(max: limits.listsMax)
    }

    /// Checks the limits for undeleting a list, which does not count while it is deleted.
    func checkRoom(
        for deleted: DeletedList, called name: ListName, of owner: UInt32, by peer: Peer
    ) throws(StoreError) {
        let user = limits.subordinates.user(of: owner)
        guard !peer.isPrivileged, Usage.isLimited(user) else { return }
        let length = deleted.kept.lengthCounted + (deleted.schemas?.lengthCounted ?? 0)
        if (usages[user]?.length ?? 0) + length <= limits.contentPerUserMax { return }
        throw .contentOfUserTooLong(name, user, max: limits.contentPerUserMax)
    }

    /// Throws if a change would exceed the limit for the owner's lists. A change that makes no list longer always passes.
    func checkRoom(for new: Snapshot, from head: ListState, in held: StoredList, by peer: Peer) throws(StoreError) {
        let growth = new.lengthCounted - head.snapshot.lengthCounted
        guard growth > 0, !peer.isPrivileged, let usage = held.counted.usage, usage.isLimited else { return }
        if usage.length + growth <= limits.contentPerUserMax { return }
        throw .contentOfUserTooLong(head.name, usage.owner, max: limits.contentPerUserMax)
    }
}
