// Options of requests. The protocol, the store and clients share these types.

/// Whether a list survives a restart of the daemon.
public enum Durability: String, Sendable {
    /// Every change is on disk before it is visible or acknowledged.
    case durable
    /// The list is never written to disk, and is lost at a restart.
    case volatile
}

/// Whether a transaction is carried out or only computed.
public enum TransactionMode: Sendable {
    /// The transaction is carried out.
    case commit
    /// The reply describes the changes, but nothing changes.
    case dryRun
}

/// How subscribers receive an `apply`.
public enum Delivery: Sendable {
    /// As the operations from the old state to the new one.
    case difference
    /// As the complete state, for UIKit's `applySnapshotUsingReloadData`.
    case reload
}

/// How long a lease lasts.
public enum LeaseTerm: String, Sendable {
    /// As long as the connection that asked for it.
    case connection
}

/// The effect of creating a list if one with that name exists.
public enum ExistingList: Sendable {
    /// The request is refused.
    case isError
    /// The existing list is kept and returned.
    case isKept
}

/// The effect of new schemas on the existing items of a list.
public enum ExistingItems: String, Sendable {
    /// The schemas are refused if an item does not match.
    case areChecked = "check"
    /// Items are not checked until they are changed.
    case areKept = "keep"
}

/// The effect of following a list if none with that name exists.
public enum AbsentList: Sendable {
    /// Following fails. It also ends when the list is deleted.
    case isError
    /// Following waits until the list is created, and waits again after it is deleted.
    case isAwaited
}

/// Whether a deleted list can be undeleted.
public enum DeletedListKeeping: String, Sendable {
    /// If there is room for it.
    case ifPossible
    /// Required: the request is refused if the list could not be undeleted.
    case required
    /// Not kept: the list is deleted for good, and its space is free immediately.
    case never
}

/// The target of an action.
public enum ActionTarget: Equatable, Sendable {
    /// The list as a whole.
    case list
    /// These items.
    case items([ItemID])
    /// This section.
    case section(SectionID)
}

/// The effect of registering a handler if the list already has one.
public enum ExistingHandler: Sendable {
    /// The request is refused.
    case isError
    /// The existing handler is replaced.
    case isReplaced
}

/// How current the state in a read's reply has to be. It matters only for shared lists and mirrors, of which this
/// host's copy may be out of date.
public enum Freshness: Sendable, Equatable {
    /// This host's copy.
    case any
    /// At least as new as the newest state on any host when the read arrived.
    case mostRecent
    /// This revision or a later one.
    case notOlderThan(Int)
}
