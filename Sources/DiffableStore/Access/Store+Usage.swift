import Diffable

// A list counts for its owner, whoever fills it, as a file does. Root and the daemon's own user have no limit: neither
// for their own lists nor when they fill somebody else's.

extension Store {
    /// Whether the lists are much smaller than at their largest since this last returned true.
    package func noteShrinking() -> Shrinking { usages.noteShrinking() }

    /// Throws when an owner may have no more lists.
    func checkRoomForList(of owner: UInt32, by peer: Peer) throws(StoreError) {
        guard !peer.isPrivileged, Usage.isLimited(owner), let usage = usages[owner] else { return }
        if usage.lists >= limits.listsPerUserMax { throw .tooManyListsOfUser(owner, max: limits.listsPerUserMax) }
    }

    /// Whether an owner may have a list come back, which does not count while it is deleted.
    func checkRoom(
        for deleted: DeletedList, called name: ListName, of owner: UInt32, by peer: Peer
    ) throws(StoreError) {
        guard !peer.isPrivileged, Usage.isLimited(owner) else { return }
        let length = deleted.kept.lengthCounted + (deleted.schemas?.lengthCounted ?? 0)
        if (usages[owner]?.length ?? 0) + length <= limits.contentPerUserMax { return }
        throw .contentOfUserTooLong(name, owner, max: limits.contentPerUserMax)
    }

    /// Throws when a change would take the owner's lists beyond the limit. A change that makes a list no longer always
    /// passes.
    func checkRoom(for new: Snapshot, from head: ListState, in held: HeldList, by peer: Peer) throws(StoreError) {
        let growth = new.lengthCounted - head.snapshot.lengthCounted
        guard growth > 0, !peer.isPrivileged, let usage = held.counted.usage, usage.isLimited else { return }
        if usage.length + growth <= limits.contentPerUserMax { return }
        throw .contentOfUserTooLong(head.name, usage.owner, max: limits.contentPerUserMax)
    }
}
