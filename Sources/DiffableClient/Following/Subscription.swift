import Diffable
import DiffableProtocol
import Synchronization

/// A list's states as they come over one connection, for one consumer. (`Client.list` goes on over the next one.)
///
/// There is no queue. Notifications go into a mirror, and the consumer asks for what the mirror holds when it is ready:
/// a slow one skips intermediate states and holds nobody up. The sequence ends when the list is deleted, and throws
/// when the connection is lost.
public final class Subscription: AsyncSequence, Sendable {
    /// What a loop over it is given.
    public typealias Element = Update
    /// What a loop over it throws.
    public typealias Failure = ClientError

    /// Which list it follows.
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
        /// The daemon's name for the subscription.
        var number: Int?
        /// Counts the connections that it was received over; what an earlier one still has to say does not count.
        var generation = 0
    }

    /// What the consumer sees next: the list as it is, and how it came there from what the consumer saw last.
    public struct Update: Sendable {
        /// Which list it is.
        public var list: ListName
        /// One life of the list: `revision` means something only within it.
        public var epoch: String
        /// Which state of the list it is: each transaction that changes the list adds one.
        public var revision: Int
        /// The list as the daemon had it at this revision.
        public var snapshot: Snapshot
        /// What the consumer saw last; empty at first.
        public var previous: Snapshot
        /// Why it came: changes, or a reset and why.
        public var cause: UpdateCause
        /// Where the view's window lies, if it has one.
        public var window: ListWindow?
        /// Whether a mirror shows what its source is like now; nil for an ordinary list. An update may bring nothing else.
        public var liveness: Liveness?
        /// Which of the views that were set it shows (`ListUpdates.setView`), counted from 1; 0 is the first.
        package var viewNumber: Int

        /// From `previous` to `snapshot`, in canonical form. O(d log n) for d differences.
        public var difference: [ListOperation] { snapshot.difference(from: previous) }
    }

    /// For the one loop over it: two at once stop the program.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: self) }

    /// The loop over the list's states.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription

        /// Waits for something new and returns the newest state; nil when the list was deleted. Throws why the
        /// subscription ended.
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
            switch state.withLock({ turn(&$0) }) {
            case .update(let update): return update
            case .end(let result):
                try result.get()
                return nil
            case nil: await news()
            }
        }
    }

    private func turn(_ state: inout State) -> NewestState.Turn? {
        if let turn = state.newest.take(of: list) { return turn }
        return state.isCancelled ? .end(.failure(.cancelled)) : nil
    }

    private func news() async {
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

    /// The subscription was ended by its owner.
    func finish() { change { $0.newest.finish(.success(())) } }

    /// How many items have come, a group in the making included.
    var itemsReceived: Int { state.withLock { $0.newest.mirror.numberOfItemsStaged } }

    /// Where another connection goes on; nil when there is no state yet.
    var since: Request.Subscribe.Since? { state.withLock { $0.newest.mirror.since } }
    /// What the state there shows.
    var view: ShownView.Version { state.withLock { $0.newest.mirror.view } }

    /// Takes what another connection brings from now on, and nothing more from the one before.
    ///
    /// - Parameter view: what it shows.
    func resume(_ view: ShownView.Version) -> Conversation.Receiver {
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
    func receive(_ arrival: Conversation.Arrival) {
        change { Subscription.receive(arrival, &$0) }
    }

    private static func receive(_ arrival: Conversation.Arrival, _ state: inout State) {
        switch arrival {
        case .notification(let message, _): state.newest.receive(message)
        case .viewSet(let view): state.newest.setView(view)
        case .viewRefused: break
        case .end(let reason): state.newest.finish(.failure(reason))
        }
    }

    /// Changes the state and wakes the consumer if there is now something for it.
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
