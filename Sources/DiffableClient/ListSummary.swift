import Diffable
import DiffableProtocol

/// The properties of a list without its items.
public struct ListSummary: Sendable {
    /// The list's name.
    public var list: ListName
    /// The list's epoch: `revision` is valid only within it.
    public var epoch: String
    /// The list's revision. Each transaction that changes the list increases it by one.
    public var revision: Int
    /// The number of sections.
    public var sections: Int
    /// The number of items at all depths.
    public var items: Int
    /// The owner, the group and the access mode.
    public var access: ListAccess
    /// Whether it outlives the daemon.
    public var durability: Durability
    package var handles: Set<HandlerRequestKind>
    /// The actions that handlers named, if `listsWithActions` returned this; nil if none did.
    package var actions: [ActionName]?
    /// The source of a mirror; nil for an ordinary list.
    public var mirrorSource: MirrorSource?
    /// Whether a mirror has the current state of its source, or a shared list all changes of all hosts; nil for other lists.
    public var liveness: Liveness?
    /// Whether several hosts share it.
    public var isShared: Bool
    /// Your permissions for it; nil for a deleted list.
    public var permissions: Set<ListPermission>?
    /// Its own content, if `followLists` was asked for it.
    public var content: Content?

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
        permissions = summary.may.map { Set($0.map(ListPermission.init)) }
        content = summary.content
    }
}

/// A client's permission for a list.
public enum ListPermission: Sendable {
    /// The right to read and follow the list.
    case see
    /// Send requests to its handler.
    case ask
    /// Change its contents.
    case change

    init(_ permission: Permission) {
        switch permission {
        case .see: self = .see
        case .ask: self = .ask
        case .change: self = .change
        }
    }
}

/// A deleted list that can be restored.
public struct DeletedList: Sendable {
    /// The list at the time of its deletion.
    public var summary: ListSummary
    /// The time of the deletion, in milliseconds since 1970.
    public var time: Int
    /// The name of the client that deleted it, if it is known.
    public var client: String?
    /// The client's process id, if it is known.
    public var processID: Int?
    /// The client's user id, if it is known.
    public var userID: Int?

    init(_ deleted: Reply.DeletedList) {
        summary = ListSummary(deleted.summary)
        time = deleted.time
        client = deleted.name
        processID = deleted.processID
        userID = deleted.userID
    }
}

/// A list's owner, group and access mode.
public struct ListAccess: Equatable, Sendable {
    /// The owner's user id.
    public var owner: UInt32
    /// The group's id (gid).
    public var group: UInt32
    /// The rights of the owner, the group and everyone else.
    public var mode: AccessMode

    init(_ access: Reply.ListAccess) {
        owner = access.owner
        group = access.group
        mode = access.mode
    }
}

/// A list's state at one revision.
public struct ListState: Sendable {
    /// The list's name.
    public var list: ListName
    /// The list's epoch: `revision` is valid only within it.
    public var epoch: String
    /// The list's revision.
    public var revision: Int
    /// The list at this revision, or the part of it that a view showed.
    public var snapshot: Snapshot
}
