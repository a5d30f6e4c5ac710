import Diffable

/// One list as it was at one revision: a value, to be kept as long as anybody likes.
package struct ListState: Sendable {
    package let name: ListName
    /// One life of the list: a list that is deleted and created again has another. Opaque to clients.
    package let epoch: String
    /// Grows by one with each transaction that changed the list; a list that was just created stands at zero.
    package internal(set) var revision: Int
    package internal(set) var snapshot: Snapshot
    package let durability: Durability
    /// Which of all the lists that ever were; it names the list's rows in the journal and is never used twice.
    let number: Int
    /// The newest revision that was applied with `Delivery.reload`, zero when none was. A subscriber that was sent
    /// less than this gets the whole state with the reason "reload" instead of a difference.
    package internal(set) var lastReloadRevision = 0
}

/// Whether a list outlives the daemon.
package enum Durability: Sendable, Equatable {
    /// Nothing of it is seen or acknowledged before it is on disk.
    case durable
    /// It never touches the disk, and is gone after a restart.
    case volatile
}
