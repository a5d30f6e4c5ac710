// What a request may say beside its operations. The wire, the daemon's store and clients share these words.

/// Whether a list outlives the daemon.
public enum Durability: String, Sendable {
    /// Nothing of it is seen or acknowledged before it is on disk.
    case durable
    /// It never touches the disk, and is gone after a restart.
    case volatile
}

/// Whether a transaction is carried out or only computed.
public enum TransactionMode: Sendable {
    /// It is carried out.
    case commit
    /// The answer tells what would change; nothing does.
    case dryRun
}

/// How subscribers hear of an `apply`.
public enum Delivery: Sendable {
    /// As the operations that lead from the old state to the new one.
    case difference
    /// As the whole state, for UIKit's `applySnapshotUsingReloadData`.
    case reload
}

/// How long what is leased lasts. What is not leased lasts until somebody deletes it.
public enum LeaseTerm: String, Sendable {
    /// As long as the connection that asked for it.
    case connection
}

/// What creating a list means when there is one of that name.
public enum ExistingList: Sendable {
    /// The request is refused.
    case isError
    /// The list stays as it is, and is the answer.
    case isKept
}

/// What new schemas mean for the items that a list has already.
public enum ExistingItems: String, Sendable {
    /// The schemas are refused when an item does not fit.
    case areChecked = "check"
    /// Items stay as they are until somebody writes them.
    case areKept = "keep"
}

/// What following a list means when there is none of that name.
public enum AbsentList: Sendable {
    /// Following it fails, and ends when the list is deleted.
    case isError
    /// Following it begins when the list does. It goes on when the list is deleted, until there is another.
    case isAwaited
}

/// Whether a list that is deleted can come back.
public enum DeletedListKeeping: String, Sendable {
    /// While there is room for it.
    case ifPossible
    /// A list that could not come back is not deleted.
    case required
    /// It is gone at once, and what it took is free for others.
    case never
}

/// What an action is performed on.
public enum ActionTarget: Equatable, Sendable {
    /// The list as a whole.
    case list
    /// These items.
    case items([ItemID])
    /// This section.
    case section(SectionID)
}

/// What answering for a list means when somebody answers for the same already.
public enum ExistingHandler: Sendable {
    /// The request is refused.
    case isError
    /// The other one ends.
    case isReplaced
}

/// How new the state must be that a read is answered with. Of a list of one host the newest is always there; what is here of
/// a list that hosts share may be old.
public enum Freshness: Sendable, Equatable {
    /// What is here.
    case any
    /// No older than the newest that any host had when the read came.
    case mostRecent
    /// This revision, or a later one.
    case notOlderThan(Int)
}
