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

    init(_ summary: Reply.ListSummary) {
        list = summary.list
        epoch = summary.epoch
        revision = summary.revision
        sections = summary.numberOfSections
        items = summary.numberOfItems
        access = ListAccess(summary.access)
        durability = summary.durability == .durable ? .durable : .volatile
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

/// Whether a list outlives the daemon.
public enum Durability: String, Sendable {
    case durable
    case volatile
}

/// A list's state at one revision.
public struct ListState: Sendable {
    public var list: ListName
    public var epoch: String
    public var revision: Int
    public var snapshot: Snapshot
}
