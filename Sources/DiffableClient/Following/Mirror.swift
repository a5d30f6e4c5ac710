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
    /// What `snapshot` shows, what the group in the making or the next one does, and what those after it do.
    private(set) var view = ShownView.Version.everything
    private var nextView = ShownView.Version.everything
    private var laterView: ShownView.Version?
    /// Whether there is a state.
    private var isThere = false

    /// Whether the group is complete.
    enum Progress { case partial, complete }

    /// Where another connection goes on; nil when there is no state yet.
    var since: Request.Subscribe.Since? { isThere ? .init(epoch: epoch, revision: revision) : nil }

    mutating func receive(_ reset: Message.Reset) throws(ClientError) -> Progress {
        try stage(reset.operations, onto: Snapshot())
        guard reset.part == .last else { return .partial }
        epoch = reset.epoch
        complete(at: reset.revision, reset.extent)
        return .complete
    }

    mutating func receive(_ changes: Message.Changes) throws(ClientError) -> Progress {
        guard isThere else { throw .unintelligible("changes to a list of which nothing is known yet") }
        guard changes.from == revision else {
            throw .unintelligible("changes from revision \(changes.from) to a list that is at \(revision)")
        }
        try stage(changes.operations, onto: snapshot)
        guard changes.part == .last else { return .partial }
        complete(at: changes.revision, changes.extent)
        return .complete
    }

    /// The rest of the group in the making will not come: it never was.
    mutating func discardPart() {
        staged = nil
        nextView = laterView ?? nextView
        laterView = nil
    }

    /// The list is no more. There is nothing to go on from; the revision is still the last one.
    mutating func clear() {
        discardPart()
        (snapshot, window, isThere) = (Snapshot(), nil, false)
    }

    /// A group that is under way is finished first.
    mutating func setView(_ view: ShownView.Version) {
        if staged == nil { nextView = view } else { laterView = view }
    }

    /// Of the group in the making, or of the list.
    var numberOfItemsStaged: Int { (staged ?? snapshot).numberOfItems }

    private mutating func stage(_ operations: [ListOperation], onto start: Snapshot) throws(ClientError) {
        do {
            staged = try (staged ?? start).applying(operations, limits: .none)
        } catch {
            throw .unintelligible("operation \(error.index) does not fit the list: \(error.reason)")
        }
    }

    private mutating func complete(at revision: Int, _ extent: Window.Extent?) {
        window = extent.map { ListWindow(offset: $0.offset, total: $0.total) }
        snapshot = staged ?? snapshot
        view = nextView
        discardPart()
        isThere = true
        self.revision = revision
    }
}
