import Diffable

/// One list at one revision, immutable.
///
/// A class, so that passing it on costs one reference: a snapshot alone has several.
package final class ListState: Sendable {
    package let name: ListName
    /// Identifies one incarnation of the list. A list that is deleted and created again gets a new epoch; an undeleted
    /// one keeps its epoch. Opaque to clients.
    package let epoch: String
    /// Increases by one with each transaction that changes the list. A new list has revision 0.
    package let revision: Int
    package let snapshot: Snapshot
    package let durability: Durability
    /// Identifies the list's rows in the journal. Unique among all lists that ever existed.
    let number: Int
    /// The newest revision that was applied with `Delivery.reload`; 0 for none. A subscriber at an older revision gets
    /// the complete state with the reason "reload" instead of a diff.
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

    func named(_ name: ListName) -> ListState {
        if name == self.name { return self }
        return ListState(
            name: name, epoch: epoch, revision: revision, snapshot: snapshot, durability: durability, number: number,
            lastReloadRevision: lastReloadRevision)
    }

    func inEpoch(_ epoch: String) -> ListState {
        ListState(
            name: name, epoch: epoch, revision: revision, snapshot: snapshot, durability: durability, number: number,
            lastReloadRevision: lastReloadRevision)
    }

    /// The empty state at the previous revision. The journal rows of a list that advances to a complete state start with it.
    var beforeAdvance: ListState {
        ListState(name: name, epoch: epoch, revision: revision - 1, durability: durability, number: number)
    }

    func moved(to revision: Int, _ snapshot: Snapshot, lastReloadRevision: Int? = nil) -> ListState {
        ListState(
            name: name, epoch: epoch, revision: revision, snapshot: snapshot, durability: durability, number: number,
            lastReloadRevision: lastReloadRevision ?? self.lastReloadRevision)
    }
}
