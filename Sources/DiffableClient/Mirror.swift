import Diffable
import DiffableProtocol

/// A list as a subscription has shown it so far. Groups in parts are put together aside, so that only whole
/// transactions are ever seen.
struct Mirror: Sendable {
    private(set) var snapshot = Snapshot()
    private(set) var epoch = ""
    private(set) var revision = 0
    /// The group in the making.
    private var staged: Snapshot?

    /// Whether the group is complete.
    enum Progress { case partial, complete }

    mutating func receive(_ reset: Message.Reset) throws(ClientError) -> Progress {
        try stage(reset.operations, onto: Snapshot())
        guard reset.part == .last else { return .partial }
        epoch = reset.epoch
        complete(at: reset.revision)
        return .complete
    }

    mutating func receive(_ changes: Message.Changes) throws(ClientError) -> Progress {
        guard changes.from == revision else {
            throw .unintelligible("changes from revision \(changes.from) to a list that is at \(revision)")
        }
        try stage(changes.operations, onto: snapshot)
        guard changes.part == .last else { return .partial }
        complete(at: changes.revision)
        return .complete
    }

    /// Of the group in the making, or of the list.
    var numberOfItemsStaged: Int { (staged ?? snapshot).numberOfItems }

    private mutating func stage(_ operations: [Operation], onto start: Snapshot) throws(ClientError) {
        do {
            staged = try (staged ?? start).applying(operations, limits: .none)
        } catch {
            throw .unintelligible("operation \(error.index) does not fit the list: \(error.reason)")
        }
    }

    private mutating func complete(at revision: Int) {
        snapshot = staged ?? snapshot
        staged = nil
        self.revision = revision
    }
}
