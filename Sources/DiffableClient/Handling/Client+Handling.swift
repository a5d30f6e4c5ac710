import Diffable
import DiffableJSON
import DiffableProtocol
import Synchronization

extension Client {
    /// Handles requests for a list, until the handler ends.
    ///
    ///     try await client.handle("tasks") { list in
    ///         list.perform("done") { request in
    ///             try await client.transact("tasks", [.deleteItems(request.items)])
    ///         }
    ///         list.propose { proposal in
    ///             if proposal.finalSnapshot.numberOfItems > 10 { throw RequestRefusal("ten are enough") }
    ///         }
    ///     }
    ///
    /// Each request is handled in its own task, which is cancelled when the response is no longer needed. After a lost
    /// connection, the handler is registered again; requests in between were refused. A handler of proposals also follows the
    /// list. Cancelling the task ends the handler: it throws `cancelled`.
    ///
    /// - Parameters:
    ///   - existing: the treatment of an existing handler; refused as `handlerExists` unless it `isReplaced`.
    ///   - onRegistration: called when the daemon has registered the handler, and again after each lost connection.
    ///   - register: registers the closures that handle requests.
    /// - Returns: why the daemon has ended the handler.
    @discardableResult
    public func handle(
        _ list: ListName, existing: ExistingHandler = .isError,
        onRegistration: @escaping @Sendable () -> Void = {}, _ register: @Sendable (inout ListHandler) -> Void
    ) async throws(ClientError) -> HandlerEnd {
        var handler = ListHandler()
        register(&handler)
        let registered = handler
        return try await handle(registered.registration(list, existing), onRegistration: onRegistration) { received in
            { try await registered.answer(to: received) }
        }
    }

    /// Handles requests for a list. `onObjection` is called with each response that the daemon did not accept, and with the
    /// reason, which the caller gets too. `answer` is called for each request, in their order, and returns the function that
    /// responds to it. That function runs once, in a task, and an error that it throws is a refusal.
    package func handle(
        _ registration: Request.Handle, onRegistration: @escaping @Sendable () -> Void = {},
        onObjection: @escaping ObjectionHandler = { _, _ in },
        _ answer: @escaping @Sendable (ReceivedRequest) -> AnswerTask
    ) async throws(ClientError) -> HandlerEnd {
        /// Whether it was registered once: then only its own last connection may still have its place.
        var wasRegistered = false
        var failures = 0
        while true {
            let connection = try await shared.acquire()
            defer { shared.release() }
            do throws(ClientError) {
                return try await HandlerRun(registration, on: connection, onObjection, answer).run {
                    shared.noteUse()
                    (wasRegistered, failures) = (true, 0)
                    onRegistration()
                    return true
                }
            } catch {
                switch error {
                case .refused(let refusal) where wasRegistered && refusal.code == .noSuchList:
                    return .listDeleted
                // The daemon may handle the new connection before it notices the old one's end.
                case .refused(let refusal)
                where wasRegistered && failures < 10
                    && refusal.code == .handlerExists:
                    failures += 1
                    do { try await Task.sleep(for: Backoff.pause(afterFailures: failures)) } catch { throw .cancelled }
                case _ where error.isHealedByReconnecting: shared.giveUp(connection)
                default: throw error
                }
            }
        }
    }
}

extension Connection {
    /// Handles requests for a list over this connection only, until the handler ends. Cancelling throws `cancelled`.
    ///
    /// - Parameter onRegistration: called when the daemon has registered the handler, before the first request is handled. Returns
    ///   whether the list is still the one that the caller means. Otherwise the handler ends as if that list was deleted.
    /// - Returns: why the daemon has ended the handler.
    package func handle(
        _ list: ListName, with handler: ListHandler, onRegistration: () async throws(ClientError) -> Bool
    ) async throws(ClientError) -> HandlerEnd {
        let registration = handler.registration(list, .isError)
        return try await HandlerRun(registration, on: self, { _, _ in }) { received in
            { try await handler.answer(to: received) }
        }.run(onRegistration)
    }
}

package typealias AnswerTask = @Sendable () async throws -> Request.Answer.Verdict

package typealias ObjectionHandler = @Sendable (HandlerRequest, _ objection: String) -> Void

package struct ReceivedRequest: Sendable {
    package let request: HandlerRequest
    package let line: [UInt8]
    /// The local copy of the list; nil unless the handler handles proposals.
    let state: LocalCopy?
    let connection: Connection

    func states(_ operations: [ListOperation]) async throws -> (initial: Snapshot, final: Snapshot) {
        if let state, state.revision == request.revision {
            return (state.snapshot, try state.snapshot.applying(operations, limits: .none))
        }
        // The list changed before the request arrived; the daemon keeps the revision of the request.
        guard let revision = request.revision else {
            throw RequestRefusal("the handler has no right to read the list, so it cannot look at the proposal")
        }
        let initial = try await connection.state(of: request.list, at: revision).snapshot
        return (initial, try initial.applying(operations, limits: .none))
    }
}

private final class HandlerRun: Sendable {
    private let registration: Request.Handle
    private let connection: Connection
    private let objecting: ObjectionHandler
    private let answer: @Sendable (ReceivedRequest) -> AnswerTask
    private let state = Mutex(State())

    private struct State {
        var mirror = LocalCopy()
        var answering: [Int: Task<Void, Never>] = [:]
    }

    private enum Event: Sendable {
        case request(ReceivedRequest)
        /// In its order after the request: a cancellation before the request has begun would have no effect.
        case cancelled(Int)
        case end(HandlerEnd)
        case lost(ClientError)
    }

    init(
        _ registration: Request.Handle, on connection: Connection, _ objecting: @escaping ObjectionHandler,
        _ answer: @escaping @Sendable (ReceivedRequest) -> AnswerTask
    ) {
        self.registration = registration
        self.connection = connection
        self.objecting = objecting
        self.answer = answer
    }

    /// `registered` returns whether the handler continues.
    func run(_ registered: () async throws(ClientError) -> Bool) async throws(ClientError) -> HandlerEnd {
        // The daemon limits the number of pending requests of a handler.
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        var subscription: Int?
        if registration.requests.contains(.propose) {
            subscription = try await follow { continuation.yield(.lost($0)) }
        }
        defer { if let subscription { connection.endSoon(subscription: subscription) } }
        let handler = try await connection.begin(registration) { self.receive($0, continuation) }
        do throws(ClientError) {
            guard try await registered() else {
                connection.endSoon(handler: handler)
                return .listDeleted
            }
        } catch {
            connection.endSoon(handler: handler)
            throw error
        }
        defer { cancelAll() }
        for await event in events {
            switch event {
            case .request(let request): begin(request)
            case .cancelled(let number): state.withLock { $0.answering[number] }?.cancel()
            case .end(let end): return end
            case .lost(let error): throw error
            }
        }
        connection.endSoon(handler: handler)
        throw .cancelled
    }

    /// Runs on the connection's reader; never waits.
    private func receive(_ arrival: MessageRouter.Arrival, _ events: AsyncStream<Event>.Continuation) {
        switch arrival {
        case .notification(.request(let request), let line):
            let mirror = registration.requests.contains(.propose) ? state.withLock { $0.mirror } : nil
            events.yield(
                .request(ReceivedRequest(request: request, line: line, state: mirror, connection: connection)))
        case .notification(.requestCancelled(_, let request, _, _), _): events.yield(.cancelled(request))
        case .notification(.handlerEnded(_, _, let reason), _): events.yield(.end(HandlerEnd(reason)))
        case .end(let reason): events.yield(.lost(reason))
        case .notification, .viewSet, .viewRefused: break
        }
    }

    private func follow(_ lost: @escaping @Sendable (ClientError) -> Void) async throws(ClientError) -> Int {
        try await connection.begin(registration.list, nil, ListOptions()) { arrival in
            do throws(ClientError) {
                try self.state.withLock { state throws(ClientError) in
                    switch arrival {
                    case .notification(.reset(let reset), _): _ = try state.mirror.receive(reset)
                    case .notification(.changes(let changes), _): _ = try state.mirror.receive(changes)
                    default: break
                    }
                }
            } catch {
                lost(error)
            }
        }
    }

    private func begin(_ received: ReceivedRequest) {
        let number = received.request.request
        let answering = answer(received)
        // Inside the lock, so that the task is recorded before it ends.
        state.withLock { state in
            state.answering[number] = Task {
                let verdict: Request.Answer.Verdict
                do {
                    verdict = try await answering()
                } catch let failure as RequestFailure {
                    verdict = .failure(failure.description)
                } catch {
                    verdict = .refusal("\(error)")
                }
                // The loop notices a lost connection.
                if !Task.isCancelled, let objection = try? await connection.answer(received.request, verdict) {
                    objecting(received.request, objection)
                }
                self.state.withLock { $0.answering[number] = nil }
            }
        }
    }

    private func cancelAll() {
        let tasks = state.withLock { $0.answering.values.map { $0 } }
        for task in tasks { task.cancel() }
    }
}
