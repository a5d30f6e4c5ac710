import Diffable
import DiffableJSON
import DiffableProtocol
import Synchronization

extension Client {
    /// Answers for a list, until something ends that.
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
    /// Each request is answered in a task of its own, which is cancelled when nobody waits for the answer any more. When the
    /// connection was lost, the next one is told again what is answered for; requests of meanwhile were refused. Whoever
    /// looks at proposals also follows the list. Cancelling the task ends it: it throws `cancelled`.
    ///
    /// - Parameters:
    ///   - existing: what it means that somebody answers already; refused as `handlerExists` unless it `isReplaced`.
    ///   - onRegistration: is called when the daemon has said yes, again after each lost connection.
    ///   - register: says what is answered for, and how.
    /// - Returns: why the daemon asks no more.
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

    /// Answers for a list.
    ///
    /// - Parameters:
    ///   - onObjection: is told which answer was not taken, and why. Whoever asked hears so, too.
    ///   - answer: is called for each request, in their order, and gives what answers it; that runs in a task, once,
    ///     and what it throws is a refusal.
    package func handle(
        _ registration: Request.Handle, onRegistration: @escaping @Sendable () -> Void = {},
        onObjection: @escaping Objecting = { _, _ in },
        _ answer: @escaping @Sendable (ReceivedRequest) -> Answering
    ) async throws(ClientError) -> HandlerEnd {
        /// Whether it answered once: then nobody else may be in its place but its own last connection.
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
                }
            } catch {
                switch error {
                case .refused(let refusal) where wasRegistered && refusal.code == WireError.Code.noSuchList.rawValue:
                    return .listDeleted
                // The daemon may hear of the new connection before it hears of the old one's end.
                case .refused(let refusal)
                where wasRegistered && failures < 10
                    && refusal.code == WireError.Code.handlerExists.rawValue:
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
    /// Answers for a list over this connection alone, until something ends that. Cancelling throws `cancelled`.
    ///
    /// - Parameter onRegistration: is called when the daemon has said yes.
    /// - Returns: why the daemon asks no more.
    package func handle(
        _ list: ListName, with handler: ListHandler, onRegistration: () -> Void
    ) async throws(ClientError) -> HandlerEnd {
        let registration = handler.registration(list, .isError)
        return try await HandlerRun(registration, on: self, { _, _ in }) { received in
            { try await handler.answer(to: received) }
        }.run(onRegistration)
    }
}

/// What answers one request.
package typealias Answering = @Sendable () async throws -> Request.Answer.Verdict

/// What is told of an answer that was not taken.
package typealias Objecting = @Sendable (HandlerRequest, _ objection: String) -> Void

/// A request as its handler received it.
package struct ReceivedRequest: Sendable {
    package let request: HandlerRequest
    /// The daemon's own line.
    package let line: [UInt8]
    /// The list as it was sent before; nil unless proposals are looked at.
    let state: Mirror?
    let connection: Connection

    /// The list as it is, and as the operations would make it.
    func states(_ operations: [ListOperation]) async throws -> (initial: Snapshot, final: Snapshot) {
        if let state, state.revision == request.revision {
            return (state.snapshot, try state.snapshot.applying(operations, limits: .none))
        }
        // The list went on before the request came: the daemon keeps what it was asked about.
        guard let revision = request.revision else { throw RequestRefusal("the handler may not see the list") }
        let initial = try await connection.state(of: request.list, at: revision).snapshot
        return (initial, try initial.applying(operations, limits: .none))
    }
}

/// A handler on one connection.
private final class HandlerRun: Sendable {
    private let registration: Request.Handle
    private let connection: Connection
    private let objecting: Objecting
    private let answer: @Sendable (ReceivedRequest) -> Answering
    private let state = Mutex(State())

    private struct State {
        /// The list, where proposals are looked at.
        var mirror = Mirror()
        /// By request.
        var answering: [Int: Task<Void, Never>] = [:]
    }

    private enum Event: Sendable {
        case request(ReceivedRequest)
        /// In its place behind the request: what came before that was begun would cancel nothing.
        case cancelled(Int)
        case end(HandlerEnd)
        case lost(ClientError)
    }

    init(
        _ registration: Request.Handle, on connection: Connection, _ objecting: @escaping Objecting,
        _ answer: @escaping @Sendable (ReceivedRequest) -> Answering
    ) {
        self.registration = registration
        self.connection = connection
        self.objecting = objecting
        self.answer = answer
    }

    func run(_ registered: () -> Void) async throws(ClientError) -> HandlerEnd {
        // The daemon bounds how many requests wait for one handler.
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        var subscription: Int?
        if registration.requests.contains(.propose) {
            subscription = try await follow { continuation.yield(.lost($0)) }
        }
        defer { if let subscription { connection.endSoon(subscription: subscription) } }
        let handler = try await connection.begin(registration) { self.receive($0, continuation) }
        registered()
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
    private func receive(_ arrival: Conversation.Arrival, _ events: AsyncStream<Event>.Continuation) {
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
        // Under the lock, so that it is not over before it is noted.
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
                // That the connection is lost, the loop hears.
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
