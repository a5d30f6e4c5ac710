import Diffable

/// One list as it was at one revision: never changed, to be kept as long as anybody likes.
///
/// A class, so that handing it on costs one reference: a snapshot alone has several.
package final class ListState: Sendable {
    package let name: ListName
    /// One life of the list: a list that is deleted and created again has another. Opaque to clients.
    package let epoch: String
    /// Grows by one with each transaction that changed the list; a list that was just created stands at zero.
    package let revision: Int
    package let snapshot: Snapshot
    package let durability: Durability
    /// Which of all the lists that ever were; it names the list's rows in the journal and is never used twice.
    let number: Int
    /// The newest revision that was applied with `Delivery.reload`, zero when none was. A subscriber that was sent
    /// less than this gets the whole state with the reason "reload" instead of a difference.
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

    /// The same list further on.
    func moved(to revision: Int, _ snapshot: Snapshot, lastReloadRevision: Int? = nil) -> ListState {
        ListState(
            name: name, epoch: epoch, revision: revision, snapshot: snapshot, durability: durability, number: number,
            lastReloadRevision: lastReloadRevision ?? self.lastReloadRevision)
    }
}

/// Whether a list outlives the daemon.
package enum Durability: Sendable, Equatable {
    /// Nothing of it is seen or acknowledged before it is on disk.
    case durable
    /// It never touches the disk, and is gone after a restart.
    case volatile
}
