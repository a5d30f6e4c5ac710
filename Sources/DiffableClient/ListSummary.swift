import Diffable
import DiffableProtocol

/// A list from outside.
public struct ListSummary: Sendable {
    /// What it is called.
    public var list: ListName
    /// One life of the list: `revision` means something only within it.
    public var epoch: String
    /// Which state the list is in: each transaction that changes the list adds one.
    public var revision: Int
    /// How many there are.
    public var sections: Int
    /// How many there are, at all depths.
    public var items: Int
    /// Whom it belongs to, and who may see and change it.
    public var access: ListAccess
    /// Whether it outlives the daemon.
    public var durability: Durability
    /// What somebody answers for.
    package var handles: Set<HandledKind>
    /// The actions that are answered for; nil where all are, or none.
    package var actions: [ActionName]?
    /// What it is a mirror of; nil for an ordinary list.
    public var mirrorSource: MirrorSource?
    /// Whether a mirror shows what its source is like now, and a shared list what all hosts made of it; nil for others.
    public var liveness: Liveness?
    /// Whether hosts share it.
    public var isShared: Bool

    init(_ summary: Reply.ListSummary) {
        list = summary.list
        epoch = summary.epoch
        revision = summary.revision
        sections = summary.numberOfSections
        items = summary.numberOfItems
        access = ListAccess(summary.access)
        durability = summary.durability
        handles = summary.handles
        actions = summary.actions
        mirrorSource = summary.mirror?.source
        liveness = summary.mirror?.liveness ?? summary.sharedLiveness
        isShared = summary.sharedLiveness != nil
    }
}

/// A list that was deleted and can be brought back.
public struct DeletedList: Sendable {
    /// As it was.
    public var summary: ListSummary
    /// When it was deleted, in milliseconds since 1970 began.
    public var time: Int
    /// By whom, as far as that is known: what the client called itself, its process and its user.
    public var client: String?
    /// The number of its process, if it is known.
    public var processID: Int?
    /// The number of its user, if it is known.
    public var userID: Int?

    init(_ deleted: Reply.DeletedList) {
        summary = ListSummary(deleted.summary)
        time = deleted.time
        client = deleted.name
        processID = deleted.processID
        userID = deleted.userID
    }
}

/// Whom a list belongs to, by their numbers, and who may see and change it.
public struct ListAccess: Equatable, Sendable {
    /// The number of the user that it belongs to.
    public var owner: UInt32
    /// The number of its group.
    public var group: UInt32
    /// What the owner, the group and everybody else may do.
    public var mode: AccessMode

    init(_ access: Reply.ListAccess) {
        owner = access.owner
        group = access.group
        mode = access.mode
    }
}

/// A list's state at one revision.
public struct ListState: Sendable {
    /// Which list it is.
    public var list: ListName
    /// One life of the list: `revision` means something only within it.
    public var epoch: String
    /// Which state of the list it is.
    public var revision: Int
    /// What was in the list then, or what a view showed of it.
    public var snapshot: Snapshot
}
