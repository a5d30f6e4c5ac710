import Diffable
import DiffableProtocol

/// A list as a subscription has shown it so far. Groups in parts are put together aside, so that only whole
/// transactions are ever seen.
struct Mirror: Sendable {
    private(set) var snapshot = Snapshot()
    /// Empty before the first state.
    private(set) var epoch = ""
    private(set) var revision = 0
    /// Where the view's window lies, if it has one.
    private(set) var window: ListWindow?
    /// The group in the making.
    private var staged: Snapshot?

    /// Whether the group is complete.
    enum Progress { case partial, complete }

    /// Where another connection goes on; nil when there is no state yet.
    var since: Request.Subscribe.Since? { epoch.isEmpty ? nil : .init(epoch: epoch, revision: revision) }

    mutating func receive(_ reset: Message.Reset) throws(ClientError) -> Progress {
        try stage(reset.operations, onto: Snapshot())
        guard reset.part == .last else { return .partial }
        epoch = reset.epoch
        complete(at: reset.revision, reset.extent)
        return .complete
    }

    mutating func receive(_ changes: Message.Changes) throws(ClientError) -> Progress {
        guard !epoch.isEmpty else { throw .unintelligible("changes to a list of which nothing is known yet") }
        guard changes.from == revision else {
            throw .unintelligible("changes from revision \(changes.from) to a list that is at \(revision)")
        }
        try stage(changes.operations, onto: snapshot)
        guard changes.part == .last else { return .partial }
        complete(at: changes.revision, changes.extent)
        return .complete
    }

    /// The rest of the group in the making will not come: it never was.
    mutating func discardPart() { staged = nil }

    /// The list is no more. There is nothing to go on from.
    mutating func clear() { self = Mirror() }

    /// Of the group in the making, or of the list.
    var numberOfItemsStaged: Int { (staged ?? snapshot).numberOfItems }

    private mutating func stage(_ operations: [Operation], onto start: Snapshot) throws(ClientError) {
        do {
            staged = try (staged ?? start).applying(operations, limits: .none)
        } catch {
            throw .unintelligible("operation \(error.index) does not fit the list: \(error.reason)")
        }
    }

    private mutating func complete(at revision: Int, _ extent: Window.Extent?) {
        window = extent.map { ListWindow(offset: $0.offset, total: $0.total) }
        snapshot = staged ?? snapshot
        staged = nil
        self.revision = revision
    }
}
