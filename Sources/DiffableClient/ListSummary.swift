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
    public var durability: Durability

    init(_ summary: Reply.ListSummary) {
        list = summary.list
        epoch = summary.epoch
        revision = summary.revision
        sections = summary.numberOfSections
        items = summary.numberOfItems
        durability = summary.durability == .durable ? .durable : .volatile
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
