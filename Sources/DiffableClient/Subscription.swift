import Diffable
import DiffableProtocol
import Synchronization

/// A list's states as they come, for one consumer.
///
/// There is no queue. Notifications go into a mirror, and the consumer asks for what the mirror holds when it is ready:
/// a slow one skips intermediate states and holds nobody up. The sequence ends when the list is deleted, and throws
/// when the connection is lost.
public final class Subscription: AsyncSequence, Sendable {
    public typealias Element = ListUpdate
    public typealias Failure = ClientError

    public let list: ListName
    private let state = Mutex(State())

    init(to list: ListName) { self.list = list }

    private struct State {
        var mirror = Mirror()
        /// What the consumer has seen.
        var seen = Snapshot()
        /// Why the mirror holds something that the consumer has not seen; `nil` when it has seen all.
        var news: ListUpdate.Cause?
        /// `.success` is the list's own end.
        var end: Result<Void, ClientError>?
        var consumer: CheckedContinuation<Void, Never>?
        var isCancelled = false
        /// The daemon's name for the subscription.
        var number: Int?
    }

    public func makeAsyncIterator() -> Iterator { Iterator(subscription: self) }

    public struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription

        public mutating func next() async throws(ClientError) -> ListUpdate? {
            try await subscription.next()
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ClientError) -> ListUpdate? {
            try await subscription.next()
        }
    }
}

// MARK: - The consumer's side

extension Subscription {
    private enum Turn {
        case update(ListUpdate)
        case end(Result<Void, ClientError>)
        case wait
    }

    private func next() async throws(ClientError) -> ListUpdate? {
        while true {
            switch state.withLock({ turn(&$0) }) {
            case .update(let update): return update
            case .end(let result):
                try result.get()
                return nil
            case .wait: await news()
            }
        }
    }

    private func turn(_ state: inout State) -> Turn {
        if let cause = state.news {
            let mirror = state.mirror
            let update = ListUpdate(
                list: list, epoch: mirror.epoch, revision: mirror.revision, snapshot: mirror.snapshot,
                previous: state.seen, cause: cause)
            state.news = nil
            state.seen = mirror.snapshot
            return .update(update)
        }
        if let end = state.end { return .end(end) }
        return state.isCancelled ? .end(.failure(.cancelled)) : .wait
    }

    private func news() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    precondition(state.consumer == nil, "a subscription has one consumer")
                    if state.news != nil || state.end != nil || state.isCancelled { return true }
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
    func finish() { change { if $0.end == nil { $0.end = .success(()) } } }

    /// How many items have come, a group in the making included.
    var itemsReceived: Int { state.withLock { $0.mirror.numberOfItemsStaged } }

    /// For those who look at lines themselves and only want to know when it is over.
    func receiveEnd(_ arrival: Conversation.Arrival) {
        switch arrival {
        case .notification(.listDeleted, _), .end: receive(arrival)
        case .notification: break
        }
    }

    /// Runs on the connection's reader; never waits.
    func receive(_ arrival: Conversation.Arrival) {
        change { state in
            switch arrival {
            case .notification(let message, _):
                do throws(ClientError) { try receive(message, &state) } catch { state.end = .failure(error) }
            case .end(let reason):
                if state.end == nil { state.end = .failure(reason) }
            }
        }
    }

    private func receive(_ message: Message, _ state: inout State) throws(ClientError) {
        guard state.end == nil else { return }
        switch message {
        case .reset(let reset):
            if try state.mirror.receive(reset) == .complete { state.news = ListUpdate.Cause(resetReason: reset.reason) }
        case .changes(let changes):
            // A reset that was not seen yet outweighs what follows it.
            if try state.mirror.receive(changes) == .complete { state.news = state.news ?? .changes }
        case .listDeleted: state.end = .success(())
        case .snapshot, .patch, .bookmark, .result, .failure, .other: break
        }
    }

    /// Changes the state and wakes the consumer if there is now something for it.
    private func change(_ body: (inout State) -> Void) {
        let consumer: CheckedContinuation<Void, Never>? = state.withLock { state in
            body(&state)
            guard state.news != nil || state.end != nil || state.isCancelled else { return nil }
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume()
    }
}
