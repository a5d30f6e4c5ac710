import Diffable
import DiffableJSON

/// A list's states, one after the other, over as many connections as it takes.
///
/// Each loop over it is a follower of its own, which begins with the whole list. A loop that takes its time is given the
/// newest state then, and one difference from what it was given last: nothing queues up. Being cancelled, or leaving the
/// loop, ends the subscription.
///
/// The sequence ends when the list is deleted. It throws `ClientError`: `.refused` with the daemon's words when
/// trying again is of no use, for example because there is no such list; `.undecodable` for content of another type;
/// `.cancelled`. That a connection was lost is no error.
public struct ListUpdates<Value: Sendable>: AsyncSequence, Sendable {
    /// What a loop over it is given.
    public typealias Element = ListUpdate<Value>
    /// What a loop over it throws.
    public typealias Failure = ClientError

    let list: ListName
    let options: ListOptions
    let contents: ItemContents<Value>
    let shared: SharedConnection
    private let shownView: ShownView

    init(list: ListName, options: ListOptions, contents: ItemContents<Value>, shared: SharedConnection) {
        self.list = list
        self.options = options
        self.contents = contents
        self.shared = shared
        shownView = ShownView(options.view?.view ?? View())
    }

    /// Shows something else of the list, in all loops over this sequence and its copies, those that run and those to come;
    /// nil: all of it.
    ///
    ///     let list = client.list("tasks", as: Todo.self)
    ///     searchField.onChange = { text in list.setView(try ListView(search: text)) }
    ///     for try await update in list { show(update) }
    ///
    /// A loop that runs is given one update that leads from what it saw to what it sees now; its `revision` may be the same.
    /// Returns at once. While there is no connection, what was seen stays.
    public func setView(_ view: ListView?) { shownView.set(view?.view ?? View()) }

    /// Changes what the view shows as expanded for itself; false when it shows what the list does.
    func changeOwnExpansion(_ change: (inout Set<ItemID>) -> Void) throws(ClientError) -> Bool {
        try shownView.change { view throws(ClientError) in
            guard let json = view.json(withExpanded: change) else { return nil }
            return try ListView(bytes: json).view
        }
    }

    var hasOwnExpansion: Bool {
        if case .own = shownView.version.view.expansion { true } else { false }
    }

    /// Those that no loop over this sequence shows at the moment.
    func itemsNotShown(among items: [ItemID]) -> [ItemID] { shownView.itemsNotShown(among: items) }

    /// Begins a follower of its own, which asks the daemon when it is asked for the first time.
    public func makeAsyncIterator() -> Iterator {
        Iterator(follower: Follower(of: list, options, shownView, contents, over: shared))
    }

    /// One loop over the list's states.
    public struct Iterator: AsyncIteratorProtocol {
        let follower: Follower<Value>

        /// Waits for something new and returns the newest state; nil when the list was deleted. Throws as
        /// `ListUpdates` says.
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

/// What a follower sees next: the list as it is, and what became different since it looked last.
public struct ListUpdate<Value: Sendable>: Sendable {
    /// Which list it is.
    public var list: ListName
    /// One life of the list: `revision` means something only within it.
    public var epoch: String
    /// Which state of the list it is: each transaction that changes the list adds one.
    public var revision: Int
    /// The list as the daemon had it at this revision.
    public var snapshot: ListSnapshot<Value>
    /// What the update before had; empty at first.
    public var previous: ListSnapshot<Value>
    /// Why it came: changes, or a reset and why.
    public var cause: UpdateCause
    /// From `previous` to `snapshot`, by ids, in canonical form.
    public var difference: [ListOperation]
    /// Where the view's window lies, if it has one.
    public var window: ListWindow?
    /// Whether a mirror shows what its source is like now; nil for an ordinary list. An update may bring nothing else.
    public var liveness: Liveness?
    /// Which of the views that were set it shows (`ListUpdates.setView`), counted from 1; 0 is the first.
    package var viewNumber: Int

    /// The same by places, as tables take it. O(d log n) for d operations.
    public var changes: IndexPathChanges {
        IndexPathChanges(difference, from: previous.untyped, to: snapshot.untyped)
    }

    /// The same as steps on the flat rows of an outline (`ListSnapshot.visibleRows`), to be carried out one after the other.
    /// O(log² n) for each item that changed, and O(1) for each row that comes; O(n) when it was not asked of the update before.
    ///
    ///     for change in update.rowChanges { rows.carryOut(change) }
    public var rowChanges: [RowChange] {
        let before = previous.visibleRows
        return snapshot.visibleRows(after: before, by: difference).changes(from: before, by: difference)
    }

    /// The same in one or two batches that UIKit's `performBatchUpdates` takes, each with the state that it leads to: for
    /// tables without children. O(d log n) for d operations, and O(s log n) for s sections where some move.
    public var stages: [ListStage<Value>] {
        let stages = previous.untyped.batchStages(to: snapshot.untyped, difference)
        return stages.enumerated().map { number, stage in
            let isLast = number == stages.count - 1
            return ListStage(
                snapshot: isLast ? snapshot : previous.rearranged(stage.snapshot), changes: stage.changes)
        }
    }
}

/// What a table carries out in one batch.
public struct ListStage<Value: Sendable>: Sendable {
    /// The list after it, for the data source.
    public var snapshot: ListSnapshot<Value>
    /// What the batch consists of: from the state before it to `snapshot`.
    public var changes: IndexPathChanges
}
