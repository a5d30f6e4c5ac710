import Diffable
import DiffableProtocol
import Synchronization

/// The lists that you may see, over one connection, for one consumer.
///
/// It has no queue: a slow consumer skips intermediate states. The sequence throws when the connection is lost, and ends with
/// `Connection.end`.
public final class FollowedLists: AsyncSequence, Sendable {
    /// A state of the set of lists.
    public typealias Element = Update
    /// The error of a loop.
    public typealias Failure = ClientError

    /// A state of the set of lists, and the changes since the previous one.
    public struct Update: Sendable {
        /// All lists by name.
        public var lists: [ListName: ListSummary]
        /// The lists that are new or different since the previous update; at first, all.
        public var listed: Set<ListName>
        /// The lists that do not exist any more for you since the previous update.
        public var unlisted: Set<ListName>
    }

    private struct State {
        var update = Update(lists: [:], listed: [], unlisted: [])
        var isDue = false
        var end: Result<Void, ClientError>?
        var consumer: CheckedContinuation<Void, Never>?
        var number: Int?
    }

    private let state = Mutex(State())

    init() {}

    /// Creates the only iterator: two loops at once stop the program.
    public func makeAsyncIterator() -> Iterator { Iterator(lists: self) }

    /// The loop over the states.
    public struct Iterator: AsyncIteratorProtocol {
        let lists: FollowedLists

        /// Waits for a change and returns the newest state; nil after `Connection.end`.
        public mutating func next() async throws(ClientError) -> Update? { try await lists.next() }

        /// The same, for a loop that runs on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ClientError) -> Update? {
            try await lists.next()
        }
    }

    private func next() async throws(ClientError) -> Update? {
        while true {
            let (update, end) = state.withLock { state -> (Update?, Result<Void, ClientError>?) in
                guard state.isDue else { return (nil, state.end) }
                defer { (state.isDue, state.update.listed, state.update.unlisted) = (false, [], []) }
                return (state.update, nil)
            }
            if let update { return update }
            if let end {
                try end.get()
                return nil
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isDue = state.withLock { state in
                        precondition(state.consumer == nil, "the set of lists has one consumer")
                        if state.isDue || state.end != nil { return true }
                        state.consumer = continuation
                        return false
                    }
                    if isDue { continuation.resume() }
                }
            } onCancel: {
                finish(.failure(.cancelled))
            }
        }
    }

    // MARK: The connection's side

    var number: Int? { state.withLock { $0.number } }

    /// The state in the reply. Changes can arrive before it is known here.
    func begin(_ reply: Reply.FollowLists) {
        change { state in
            state.number = reply.subscription
            let (listed, unlisted) = (state.update.listed, state.update.unlisted)
            for list in reply.lists where !listed.contains(list.list) && !unlisted.contains(list.list) {
                state.update.lists[list.list] = ListSummary(list)
                state.update.listed.insert(list.list)
            }
            state.isDue = true
        }
    }

    /// Runs on the connection's reader; never waits.
    func receive(_ arrival: MessageRouter.Arrival) {
        switch arrival {
        case .notification(.listsChanged(_, let listed, let unlisted), _):
            change { state in
                for list in listed {
                    state.update.lists[list.list] = ListSummary(list)
                    state.update.listed.insert(list.list)
                    state.update.unlisted.remove(list.list)
                }
                for list in unlisted {
                    state.update.lists[list] = nil
                    state.update.listed.remove(list)
                    state.update.unlisted.insert(list)
                }
                state.isDue = state.number != nil
            }
        case .end(let reason): finish(.failure(reason))
        case .notification, .viewSet, .viewRefused: break
        }
    }

    func finish(_ result: Result<Void, ClientError>) { change { if $0.end == nil { $0.end = result } } }

    private func change(_ body: (inout State) -> Void) {
        let consumer = state.withLock { state -> CheckedContinuation<Void, Never>? in
            body(&state)
            guard state.isDue || state.end != nil else { return nil }
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume()
    }
}

extension Connection {
    /// Follows the set of lists that you may see, with their revisions, counts and permissions.
    ///
    /// - Parameters:
    ///   - includingContent: whether each list has its own content, which contains its title.
    ///   - minInterval: the shortest time between two updates, in milliseconds; nil: none.
    public func followLists(
        includingContent: Bool = false, minInterval: Int? = nil
    ) async throws(ClientError) -> FollowedLists {
        let lists = FollowedLists()
        let request = Request.FollowLists(includesContent: includingContent, minInterval: minInterval)
        let result = try await exchange(.subscription({ lists.receive($0) }, .isError)) {
            id, writer throws(ClientError) in
            Request.followLists(request).write(id: id, into: &writer)
            return .done
        }
        lists.begin(try decoded { () throws(DecodingError) in try Reply.FollowLists(json: result) })
        return lists
    }

    /// Ends following; the sequence ends too.
    public func end(_ lists: FollowedLists) async throws(ClientError) {
        guard let number = lists.number else { return }
        _ = try await reply(to: .unsubscribe(.init(subscription: number)))
        forget(subscription: number)
        lists.finish(.success(()))
    }
}
