import Diffable
import DiffableProtocol

/// The local copy of a subscription's list. Partial updates are collected separately, so that only whole transactions are visible.
struct Mirror: Sendable {
    private(set) var snapshot = Snapshot()
    /// Empty before the first state.
    private(set) var epoch = ""
    private(set) var revision = 0
    private(set) var window: ListWindow?
    private var staged: Snapshot?
    /// The views of `snapshot`, of the incomplete or next update, and of the updates after it.
    private(set) var view = ShownView.Version.everything
    private var nextView = ShownView.Version.everything
    private var laterView: ShownView.Version?
    private var isThere = false

    enum Progress { case partial, complete }

    /// The position from which another connection continues; nil if there is no state yet.
    var since: Request.Subscribe.Since? { isThere ? .init(epoch: epoch, revision: revision) : nil }

    mutating func receive(_ reset: Message.Reset) throws(ClientError) -> Progress {
        try stage(reset.operations, onto: Snapshot())
        guard reset.part == .last else { return .partial }
        epoch = reset.epoch
        complete(at: reset.revision, reset.extent)
        return .complete
    }

    mutating func receive(_ changes: Message.Changes) throws(ClientError) -> Progress {
        guard isThere else { throw .unintelligible("changes to a list whose state it has not sent yet") }
        guard changes.from == revision else {
            throw .unintelligible("changes from revision \(changes.from) to a list that is at \(revision)")
        }
        try stage(changes.operations, onto: snapshot)
        guard changes.part == .last else { return .partial }
        complete(at: changes.revision, changes.extent)
        return .complete
    }

    mutating func discardPart() {
        staged = nil
        nextView = laterView ?? nextView
        laterView = nil
    }

    /// Clears the state of a deleted list. Another connection cannot continue from it; the revision stays the last one.
    mutating func clear() {
        discardPart()
        (snapshot, window, isThere) = (Snapshot(), nil, false)
    }

    /// An incomplete update is finished first.
    mutating func setView(_ view: ShownView.Version) {
        if staged == nil { nextView = view } else { laterView = view }
    }

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
