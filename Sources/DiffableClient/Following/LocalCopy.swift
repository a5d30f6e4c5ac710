import Diffable
import DiffableProtocol

/// The local copy of a subscription's list. Partial updates are collected separately, so that only whole transactions are visible.
struct LocalCopy: Sendable {
    private(set) var snapshot = Snapshot()
    /// Empty before the first state.
    private(set) var epoch = ""
    private(set) var revision = 0
    private(set) var window: ListWindow?
    private var staged: Snapshot?
    /// The position of the window in the parts of an incomplete update.
    private var stagedExtent: Window.Extent?
    /// The position of the window in the last complete update.
    private var extent: Window.Extent?
    /// The views of `snapshot`, of the incomplete or next update, and of the updates after it.
    private(set) var view = CurrentView.Version.everything
    private var nextView = CurrentView.Version.everything
    private var laterView: CurrentView.Version?
    private var isThere = false

    enum Progress { case partial, complete }

    /// The position from which another connection continues, and the view that it shows; nil before the first state.
    var since: Request.Subscribe.Since? {
        isThere ? .init(epoch: epoch, revision: revision, view: view.view.shown(at: extent)) : nil
    }

    mutating func receive(_ reset: Message.Reset) throws(ClientError) -> Progress {
        try stage(reset.operations, reset.extent, onto: Snapshot())
        guard reset.part == .last else { return .partial }
        epoch = reset.epoch
        complete(at: reset.revision, isReset: true)
        return .complete
    }

    mutating func receive(_ changes: Message.Changes) throws(ClientError) -> Progress {
        guard isThere else { throw .unintelligible("changes to a list whose state it has not sent yet") }
        guard changes.from == revision else {
            throw .unintelligible("changes from revision \(changes.from) to a list that is at \(revision)")
        }
        try stage(changes.operations, changes.extent, onto: snapshot)
        guard changes.part == .last else { return .partial }
        complete(at: changes.revision)
        return .complete
    }

    mutating func discardPart() {
        (staged, stagedExtent) = (nil, nil)
        nextView = laterView ?? nextView
        laterView = nil
    }

    /// Clears the state of a deleted list. Another connection cannot continue from it; the revision stays the last one.
    mutating func clear() {
        discardPart()
        (snapshot, window, isThere) = (Snapshot(), nil, false)
    }

    /// An incomplete update is finished first.
    mutating func setView(_ view: CurrentView.Version) {
        if staged == nil { nextView = view } else { laterView = view }
    }

    var numberOfItemsStaged: Int { (staged ?? snapshot).numberOfItems }

    private mutating func stage(
        _ operations: [ListOperation], _ extent: Window.Extent?, onto start: Snapshot
    ) throws(ClientError) {
        if let extent {
            let parts = stagedExtent
            stagedExtent = extent
            if let parts {
                stagedExtent?.pins = parts.pins + extent.pins
                stagedExtent?.rows = parts.rows + extent.rows
            }
        }
        do {
            staged = try (staged ?? start).applying(operations, limits: .none)
        } catch {
            throw .unintelligible("operation \(error.index) does not fit the list: \(error.reason)")
        }
    }

    private mutating func complete(at revision: Int, isReset: Bool = false) {
        snapshot = staged ?? snapshot
        view = nextView
        window = stagedExtent.map {
            var window = ListWindow($0, after: isReset ? nil : window, of: view.view.window)
            if !window.rows.isEmpty { window.rows = window.rows.filter { snapshot.contains($0.key) } }
            return window
        }
        extent = stagedExtent
        discardPart()
        isThere = true
        self.revision = revision
    }
}
