import Diffable
import DiffableProtocol
import Synchronization

/// A list's states over one connection, for one consumer. (`Client.list` continues over the next connection.)
///
/// It has no queue. Notifications change a local copy, and the consumer reads it when it is ready: a slow one skips intermediate
/// states and delays no one else. The sequence ends when the list is deleted, and throws when the connection is lost.
public final class Subscription: AsyncSequence, Sendable {
    /// An update of the list.
    public typealias Element = Update
    /// The error of a loop.
    public typealias Failure = ClientError

    /// The list that it follows.
    public let list: ListName
    private let state: Mutex<State>

    init(to list: ListName, ifAbsent: AbsentList = .isError) {
        self.list = list
        state = Mutex(State(newest: NewestState(ifAbsent: ifAbsent)))
    }

    private struct State {
        var newest: NewestState
        var consumer: CheckedContinuation<Void, Never>?
        var isCancelled = false
        var number: Int?
        /// The number of connections so far. Messages from an earlier connection are ignored.
        var generation = 0
    }

    /// An update of the consumer: the list's state, and the changes since the previous update.
    public struct Update: Sendable {
        /// The list's name.
        public var list: ListName
        /// The list's epoch: `revision` is valid only within it.
        public var epoch: String
        /// The list's revision. Each transaction that changes the list increases it by one.
        public var revision: Int
        /// The list's state at this revision.
        public var snapshot: Snapshot
        /// The state of the previous update; empty at first.
        public var previous: Snapshot
        /// The cause: changes, or the reason of a reset.
        public var cause: UpdateCause
        /// The position of the view's window, if it has one.
        public var window: ListWindow?
        /// Whether a mirror has the current state of its source; nil for an ordinary list. An update may change only this.
        public var liveness: Liveness?
        /// The number of the view that it shows (`ListUpdates.setView`), counted from 1; 0 is the first.
        package var viewNumber: Int

        /// The operations from `previous` to `snapshot`, in canonical form. O(d log n) for d differences.
        public var difference: [ListOperation] { snapshot.difference(from: previous) }
    }

    /// Creates the only iterator: two loops at once stop the program.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: self) }

    /// The loop over the list's states.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription

        /// Waits for a change and returns the newest state; nil if the list was deleted. Throws the reason of the
        /// subscription's end.
        public mutating func next() async throws(ClientError) -> Update? {
            try await subscription.next()
        }

        /// The same, for a loop that runs on an actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ClientError) -> Update? {
            try await subscription.next()
        }
    }
}

// MARK: - The consumer's side

extension Subscription {
    func next() async throws(ClientError) -> Update? {
        while true {
            switch state.withLock({ nextOutput(&$0) }) {
            case .update(let update): return update
            case .end(let result):
                try result.get()
                return nil
            case nil: await waitForNews()
            }
        }
    }

    private func nextOutput(_ state: inout State) -> NewestState.Output? {
        if let turn = state.newest.takeOutput(of: list) { return turn }
        return state.isCancelled ? .end(.failure(.cancelled)) : nil
    }

    private func waitForNews() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    precondition(state.consumer == nil, "a subscription has one consumer")
                    if state.newest.isDue || state.isCancelled { return true }
                    state.consumer = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            change { $0.isCancelled = true }
        }
    }
}

// MARK: - The connection's side

extension Subscription {
    var number: Int? { state.withLock { $0.number } }

    func begin(_ number: Int) { state.withLock { $0.number = number } }

    func finish() { change { $0.newest.finish(.success(())) } }

    var itemsReceived: Int { state.withLock { $0.newest.mirror.numberOfItemsStaged } }

    /// The position from which another connection continues with a view, and the view to request; nil and that view if there is
    /// no state yet.
    func continuation(with wanted: CurrentView.Version) -> (since: Request.Subscribe.Since?, view: View) {
        state.withLock { state in
            let mirror = state.newest.mirror
            guard var since = mirror.since, let shown = since.view else { return (nil, wanted.view) }
            if mirror.view.number != wanted.number { return (since, wanted.view) }
            // The same view, at the position that its window has reached.
            since.view = nil
            return (since, shown)
        }
    }

    /// Accepts messages from another connection from now on, and none from the previous one. `view` is the new connection's view.
    func resume(_ view: CurrentView.Version) -> MessageRouter.Receiver {
        let generation = state.withLock { state in
            state.generation += 1
            state.newest.resume(view)
            return state.generation
        }
        return { arrival in
            self.change { if $0.generation == generation { Subscription.receive(arrival, &$0) } }
        }
    }

    /// Runs on the connection's reader; never waits.
    func receive(_ arrival: MessageRouter.Arrival) {
        change { Subscription.receive(arrival, &$0) }
    }

    private static func receive(_ arrival: MessageRouter.Arrival, _ state: inout State) {
        switch arrival {
        case .notification(let message, _): state.newest.receive(message)
        case .viewSet(let view): state.newest.setView(view)
        case .viewRefused: break
        case .end(let reason): state.newest.finish(.failure(reason))
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let consumer: CheckedContinuation<Void, Never>? = state.withLock { state in
            body(&state)
            guard state.newest.isDue || state.isCancelled else { return nil }
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume()
    }
}
