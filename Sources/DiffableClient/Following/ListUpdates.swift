import Diffable
import DiffableJSON

/// A list's states, one after the other, over any number of connections.
///
/// Each loop over it is a separate follower, which begins with the whole list. A slow loop gets the newest state, and one diff
/// from its last state: updates do not queue up. Cancelling or leaving the loop ends the subscription.
///
/// The sequence ends when the list is deleted. It throws `ClientError`: `.refused` with the daemon's text if a retry is
/// useless, for example because the list does not exist; `.undecodable` for content of another type; `.cancelled`. A lost
/// connection is not an error.
public struct ListUpdates<Value: Sendable>: AsyncSequence, Sendable {
    /// An update of the list.
    public typealias Element = ListUpdate<Value>
    /// The error of a loop.
    public typealias Failure = ClientError

    let list: ListName
    let options: ListOptions
    let contents: ItemContents<Value>
    let shared: SharedConnection
    private let shownView: CurrentView

    init(list: ListName, options: ListOptions, contents: ItemContents<Value>, shared: SharedConnection) {
        self.list = list
        self.options = options
        self.contents = contents
        self.shared = shared
        shownView = CurrentView(options.view?.view ?? View())
    }

    /// Changes the view in all current and future loops over this sequence and its copies; nil: the whole list.
    ///
    ///     let list = client.list("tasks", as: Todo.self)
    ///     searchField.onChange = { text in list.setView(try ListView(search: text)) }
    ///     for try await update in list { show(update) }
    ///
    /// A running loop gets one update from the old view to the new one; its `revision` may be the same. Returns at once. While
    /// there is no connection, the old state stays.
    public func setView(_ view: ListView?) { shownView.set(view?.view ?? View()) }

    /// Changes the view's own expansion; returns false if the view uses the list's.
    func changeOwnExpansion(_ change: (inout Set<ItemID>) -> Void) throws(ClientError) -> Bool {
        try shownView.change { view throws(ClientError) in
            guard let json = view.json(withExpanded: change) else { return nil }
            return try ListView(bytes: json).view
        }
    }

    var hasOwnExpansion: Bool {
        if case .own = shownView.version.view.expansion { true } else { false }
    }

    func itemsNotShown(among items: [ItemID]) -> [ItemID] { shownView.itemsNotShown(among: items) }

    /// Creates a follower, which subscribes when its first update is requested.
    public func makeAsyncIterator() -> Iterator {
        Iterator(follower: Follower(of: list, options, shownView, contents, over: shared))
    }

    /// A loop over the list's states.
    public struct Iterator: AsyncIteratorProtocol {
        let follower: Follower<Value>

        /// Waits for a change and returns the newest state; nil if the list was deleted. Throws as described for `ListUpdates`.
        public mutating func next() async throws(ClientError) -> ListUpdate<Value>? {
            try await follower.next()
        }

        /// The same, for a loop that runs on an actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ClientError) -> ListUpdate<Value>? {
            try await follower.next()
        }
    }
}

/// An update of a follower: the list's state, and the changes since the previous update.
public struct ListUpdate<Value: Sendable>: Sendable {
    /// The list's name.
    public var list: ListName
    /// The list's epoch: `revision` is valid only within it.
    public var epoch: String
    /// The list's revision. Each transaction that changes the list increases it by one.
    public var revision: Int
    /// The list's state at this revision.
    public var snapshot: ListSnapshot<Value>
    /// The state of the previous update; empty at first.
    public var previous: ListSnapshot<Value>
    /// The cause: changes, or the reason of a reset.
    public var cause: UpdateCause
    /// The operations from `previous` to `snapshot`, by ids, in canonical form.
    public var difference: [ListOperation]
    /// The position of the view's window, if it has one.
    public var window: ListWindow?
    /// Whether a mirror has the current state of its source; nil for an ordinary list. An update may change only this.
    public var liveness: Liveness?
    /// The number of the view that it shows (`ListUpdates.setView`), counted from 1; 0 is the first.
    package var viewNumber: Int

    /// The changes by index path, as tables take them. O(d log n) for d operations.
    public var changes: IndexPathChanges {
        IndexPathChanges(difference, from: previous.untyped, to: snapshot.untyped)
    }

    /// The changes as steps on the flat rows of an outline (`ListSnapshot.visibleRows`), to be applied one after the other.
    /// O(log² n) for each changed item, and O(1) for each inserted row; O(n) if the previous update's were not computed.
    ///
    ///     for change in update.rowChanges { rows.carryOut(change) }
    public var rowChanges: [RowChange] {
        let before = previous.visibleRows
        return snapshot.visibleRows(after: before, by: difference).changes(from: before, by: difference)
    }

    /// The changes in one or two batches for UIKit's `performBatchUpdates`, each with the state after it, for tables without
    /// children. O(d log n) for d operations, and O(s log n) for s sections if some of them move.
    public var stages: [ListStage<Value>] {
        let stages = previous.untyped.batchStages(to: snapshot.untyped, difference)
        return stages.enumerated().map { number, stage in
            let isLast = number == stages.count - 1
            return ListStage(
                snapshot: isLast ? snapshot : previous.rearranged(stage.snapshot), changes: stage.changes)
        }
    }
}

/// A batch of changes for a table.
public struct ListStage<Value: Sendable>: Sendable {
    /// The list after the batch, for the data source.
    public var snapshot: ListSnapshot<Value>
    /// The changes from the state before the batch to `snapshot`.
    public var changes: IndexPathChanges
}
