import Diffable
import DiffableProtocol

/// A list from outside.
public struct ListSummary: Sendable {
    public var list: ListName
    public var epoch: String
    public var revision: Int
    /// How many there are.
    public var sections: Int
    /// How many there are, at all depths.
    public var items: Int
    public var access: ListAccess
    public var durability: Durability
    /// What somebody answers for.
    package var handles: Set<HandledKind>
    /// The actions that are answered for; nil where all are, or none.
    package var actions: [ActionName]?

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
    public var processID: Int?
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
    public var owner: UInt32
    public var group: UInt32
    public var mode: AccessMode

    init(_ access: Reply.ListAccess) {
        owner = access.owner
        group = access.group
        mode = access.mode
    }
}

/// A list's state at one revision.
public struct ListState: Sendable {
    public var list: ListName
    public var epoch: String
    public var revision: Int
    public var snapshot: Snapshot
}
