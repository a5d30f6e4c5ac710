import Diffable
import DiffableProtocol

/// The pending replies and notifications of a connection, by request and by subscription. A state machine without I/O.
///
/// It resumes no task itself, because it is inside a lock that cancellation takes too: the runtime holds a task's own lock
/// while it reports a cancellation, and needs that lock to resume the task. After each change, the owner resumes
/// `takeReadyReplies()`.
///
/// A subscription's receiver is registered by the line that announces the subscription, while the reader handles that line: the
/// following `reset` can be in the same packet.
struct MessageRouter: Sendable {
    typealias RawReply = Result<[UInt8], ClientError>
    /// Gets each notification of its subscription, and finally the end. The reader waits for it: a slow receiver holds the
    /// connection back, and the daemon then skips intermediate states.
    typealias Receiver = @Sendable (Arrival) async -> Void

    enum Arrival: Sendable {
        /// With the line as it was received.
        case notification(Message, line: [UInt8])
        /// `setView` was confirmed: the next update, after one that is in progress, has this view.
        case viewSet(CurrentView.Version)
        /// `setView` was refused, and the next update has the previous view.
        case viewRefused
        case end(ClientError)
    }

    enum Expectation: Sendable {
        case reply
        /// It ends with its list, unless it waits for the next list with that name.
        case subscription(Receiver, AbsentList)
        /// The reply to `setView`, for which no task waits.
        case view(CurrentView.Version, subscription: Int)
        case handler(Receiver)
    }

    fileprivate enum Pending {
        case expected(Expectation)
        case waiting(Expectation, CheckedContinuation<RawReply, Never>)
        /// The reply was received, but no task has asked for it yet.
        case replied(RawReply)
        /// The request was abandoned. Its subscription or handler has to be ended.
        case abandoned(Expectation)
    }

    private var due: [ReadyReply] = []
    private var lastID = 0
    private var pending: [Int: Pending] = [:]
    private var receivers: [Int: Receiver] = [:]
    private var lasting: Set<Int> = []
    /// By the daemon's numbers for them.
    private var handlers: [Int: Receiver] = [:]
    private var endReceivers: [Receiver] = []
    /// Gets the lines of a backup; nil if none was requested.
    var backupReceiver: Receiver?
    private(set) var end: ClientError?
}

extension MessageRouter {
    struct ReadyReply {
        let continuation: CheckedContinuation<RawReply, Never>
        let reply: RawReply

        func resume() { continuation.resume(returning: reply) }
    }

    mutating func takeReadyReplies() -> [ReadyReply] {
        if due.isEmpty { return [] }
        defer { due = [] }
        return due
    }
}

// MARK: - Requests

extension MessageRouter {
    mutating func register(_ expectation: Expectation) -> Result<Int, ClientError> {
        if let end { return .failure(end) }
        lastID += 1
        pending[lastID] = .expected(expectation)
        return .success(lastID)
    }

    mutating func wait(for id: Int, _ continuation: CheckedContinuation<RawReply, Never>) {
        switch pending[id] {
        case .expected(let expectation): pending[id] = .waiting(expectation, continuation)
        case .replied(let reply):
            pending[id] = nil
            due.append(ReadyReply(continuation: continuation, reply: reply))
        case .waiting: preconditionFailure("one task waits for one reply")
        case .abandoned, nil: due.append(ReadyReply(continuation: continuation, reply: .failure(end ?? .cancelled)))
        }
    }

    mutating func abandon(_ id: Int) {
        switch pending[id] {
        case .expected(let expectation): pending[id] = expectation.whenAbandoned
        case .waiting(let expectation, let continuation):
            pending[id] = expectation.whenAbandoned
            due.append(ReadyReply(continuation: continuation, reply: .failure(.cancelled)))
        // The reply arrived first: the cancelled task still gets it, and handles its effects.
        case .replied: break
        case .abandoned, nil: break
        }
    }
}

// MARK: - Arrivals

extension MessageRouter {
    enum Action {
        case none
        case tell(Receiver, Arrival)
        /// All receivers are notified of the end.
        case tellAll([Receiver], ClientError)
        /// The subscription was abandoned before it began.
        case unsubscribe(Int)
        /// The handler was abandoned before it was registered.
        case unhandle(Int)
    }

    mutating func receive(_ message: Message, line: [UInt8]) -> Action {
        switch message {
        case .result(.number(let id), let result):
            if case .abandoned(let expectation) = pending[id] { return endUnwanted(id, expectation, result) }
            return resolve(id, .success(result))
        case .failure(.number(let id), let error):
            return resolve(id, .failure(.refused(Refusal(error))))
        case .failure(_, let error):
            // The daemon could not read a line, so it is unknown which request failed and none can be relied on; or the daemon
            // does not serve this user at all.
            let isRefusal = [.tooLarge, .permissionDenied].contains(error.code)
            return finish(isRefusal ? .refused(Refusal(error)) : .unintelligible(error.message))
        case .reset(let reset): return delivery(to: reset.subscription, message, line)
        case .changes(let changes): return delivery(to: changes.subscription, message, line)
        case .snapshot(let snapshot): return delivery(to: snapshot.subscription, message, line)
        case .patch(let patch): return delivery(to: patch.subscription, message, line)
        case .bookmark(let bookmark): return delivery(to: bookmark.subscription, message, line)
        case .listsChanged(let subscription, _, _): return delivery(to: subscription, message, line)
        case .listDeleted(let subscription, _):
            let action = delivery(to: subscription, message, line)
            if !lasting.contains(subscription) { receivers[subscription] = nil }
            return action
        case .other(method: "restore"):
            if let backupReceiver { return .tell(backupReceiver, .notification(message, line: line)) }
        case .subscriptionEnded(let subscription, _, _, _):
            let action = delivery(to: subscription, message, line)
            forget(subscription: subscription)
            return action
        case .request(let request): return delivery(toHandler: request.handler, message, line)
        case .requestCancelled(let handler, _, _, _): return delivery(toHandler: handler, message, line)
        case .handlerEnded(let handler, _, _):
            let action = delivery(toHandler: handler, message, line)
            forget(handler: handler)
            return action
        case .result, .other: break
        }
        return .none
    }

    mutating func forget(subscription: Int) {
        receivers[subscription] = nil
        lasting.remove(subscription)
    }

    mutating func forget(handler: Int) { handlers[handler] = nil }

    /// Returns false if the connection has already ended.
    mutating func notifyOfEnd(_ receiver: @escaping Receiver) -> Bool {
        guard end == nil else { return false }
        endReceivers.append(receiver)
        return true
    }

    mutating func finish(_ reason: ClientError) -> Action {
        guard end == nil else { return .none }
        end = reason
        for id in pending.keys.sorted() { _ = resolve(id, .failure(reason)) }
        defer { (receivers, handlers, endReceivers) = ([:], [:], []) }
        return .tellAll(Array(receivers.values) + Array(handlers.values) + endReceivers, reason)
    }

    private func delivery(to subscription: Int, _ message: Message, _ line: [UInt8]) -> Action {
        receivers[subscription].map { .tell($0, .notification(message, line: line)) } ?? .none
    }

    private func delivery(toHandler handler: Int, _ message: Message, _ line: [UInt8]) -> Action {
        handlers[handler].map { .tell($0, .notification(message, line: line)) } ?? .none
    }

    private mutating func resolve(_ id: Int, _ reply: RawReply) -> Action {
        switch pending[id] {
        case .expected(.view(let view, let subscription)):
            pending[id] = nil
            let arrival: Arrival = if case .success = reply { .viewSet(view) } else { .viewRefused }
            return receivers[subscription].map { .tell($0, arrival) } ?? .none
        case .expected(let expectation):
            pending[id] = .replied(reply)
            fulfil(expectation, reply)
        case .waiting(let expectation, let continuation):
            pending[id] = nil
            fulfil(expectation, reply)
            due.append(ReadyReply(continuation: continuation, reply: reply))
        case .abandoned: pending[id] = nil
        case .replied, nil: break
        }
        return .none
    }

    private mutating func endUnwanted(_ id: Int, _ expectation: Expectation, _ result: [UInt8]) -> Action {
        pending[id] = nil
        switch expectation {
        case .subscription: return subscription(in: result).map(Action.unsubscribe) ?? .none
        case .handler: return (try? Reply.Handle(json: result)).map { .unhandle($0.handler) } ?? .none
        case .reply, .view: return .none
        }
    }

    /// The number in the reply to `subscribe` or `followLists`.
    private func subscription(in result: [UInt8]) -> Int? {
        (try? Reply.Subscribe(json: result))?.subscription ?? (try? Reply.FollowLists(json: result))?.subscription
    }

    private mutating func fulfil(_ expectation: Expectation, _ reply: RawReply) {
        guard case .success(let result) = reply else { return }
        switch expectation {
        case .subscription(let receiver, let ifAbsent):
            guard let subscription = subscription(in: result) else { return }
            receivers[subscription] = receiver
            if ifAbsent == .isAwaited { lasting.insert(subscription) }
        case .handler(let receiver):
            guard let handling = try? Reply.Handle(json: result) else { return }
            handlers[handling.handler] = receiver
        case .reply, .view: break
        }
    }
}

extension MessageRouter.Expectation {
    fileprivate var whenAbandoned: MessageRouter.Pending? {
        switch self {
        case .subscription, .handler: .abandoned(self)
        case .reply, .view: nil
        }
    }
}

extension Refusal {
    init(_ error: WireError) {
        self.init(
            Code(error.code), error.message, list: error.list,
            section: error.section, item: error.item, operation: error.operation,
            violation: error.violation.map {
                SchemaViolation(kind: try? Kind($0.kind), path: $0.path, keyword: $0.keyword)
            },
            reason: error.reason?.rawValue, limit: error.limit?.name, action: error.action, found: error.found)
    }
}
