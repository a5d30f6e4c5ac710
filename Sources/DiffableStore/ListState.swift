import Diffable

/// One list at one revision. It never changes, and anybody may keep it.
///
/// A class, so that handing it on costs one reference: a snapshot alone has several.
package final class ListState: Sendable {
    package let name: ListName
    /// One life of the list. A list that is deleted and created again has another epoch; one that is brought back keeps its
    /// own. Opaque to clients.
    package let epoch: String
    /// Grows by one with each transaction that changes the list. A new list is at zero.
    package let revision: Int
    package let snapshot: Snapshot
    package let durability: Durability
    /// The number of the list among all lists that ever were. It names the list's rows in the journal and is never used
    /// twice.
    let number: Int
    /// The newest revision that was applied with `Delivery.reload`; 0 for none. A subscriber with an older revision
    /// gets the whole state with the reason "reload" instead of a difference.
    package let lastReloadRevision: Int

    init(
        name: ListName, epoch: String, revision: Int = 0, snapshot: Snapshot = Snapshot(), durability: Durability,
        number: Int, lastReloadRevision: Int = 0
    ) {
        self.name = name
        self.epoch = epoch
        self.revision = revision
        self.snapshot = snapshot
        self.durability = durability
        self.number = number
        self.lastReloadRevision = lastReloadRevision
    }

    /// The same under another name.
    func named(_ name: ListName) -> ListState {
        if name == self.name { return self }
        return ListState(
            name: name, epoch: epoch, revision: revision, snapshot: snapshot, durability: durability, number: number,
            lastReloadRevision: lastReloadRevision)
    }

    /// The same in another epoch.
    func inEpoch(_ epoch: String) -> ListState {
        ListState(
            name: name, epoch: epoch, revision: revision, snapshot: snapshot, durability: durability, number: number,
            lastReloadRevision: lastReloadRevision)
    }

    /// What the rows begin with of a list that goes on from a whole state: nothing, one revision before.
    var beforeAdvance: ListState {
        ListState(name: name, epoch: epoch, revision: revision - 1, durability: durability, number: number)
    }

    /// The same list at a later revision.
    func moved(to revision: Int, _ snapshot: Snapshot, lastReloadRevision: Int? = nil) -> ListState {
        ListState(
            name: name, epoch: epoch, revision: revision, snapshot: snapshot, durability: durability, number: number,
            lastReloadRevision: lastReloadRevision ?? self.lastReloadRevision)
    }
}
