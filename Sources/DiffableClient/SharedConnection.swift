import Synchronization

/// A connection that all users of a client share: made on demand, made again after a loss, and closed after a second without
/// users. Attempts are made as long as a task waits for a connection, with growing pauses (`Backoff`). Losses are counted until a
/// connection has proved useful, so a daemon that ends after each request is not contacted in a tight loop either.
final class SharedConnection: Sendable {
    /// Nil: the path that is found at each attempt.
    private let path: SocketPath?
    private let name: String?
    private let replyTimeout: Duration?
    private let watch: SilenceWatch
    /// Gets the reason of a missing connection, whenever it changes.
    private let onWaiting: (@Sendable (ClientError) -> Void)?
    private let state = Mutex(State())

    init(
        to path: SocketPath?, name: String?, replyTimeout: Duration?, watch: SilenceWatch,
        onWaiting: (@Sendable (ClientError) -> Void)?
    ) {
        self.path = path
        self.name = name
        self.replyTimeout = replyTimeout
        self.watch = watch
        self.onWaiting = onWaiting
    }

    /// The time for which it is kept for the next user.
    private static let lingering = Duration.seconds(1)

    private struct State {
        var connection: Connection?
        var users = 0
        var usersEver = 0
        var waiting: [Waiter] = []
        var lastWaiter = 0
        var isRunning = false
        /// Consecutive attempts and connections that were useless.
        var failures = 0
        var visible = ConnectionState.disconnected(nil)
        /// The continuations to notify of a change of `visible`, which they then read, by number.
        var observers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastObserver = 0
        var unused: AsyncStream<Void>.Continuation?
    }

    private struct Waiter: Sendable {
        let number: Int
        /// The first failed attempt after this time ends the wait; nil: never.
        let deadline: ContinuousClock.Instant?
        let continuation: CheckedContinuation<Result<Connection, ClientError>, Never>
    }
}

// MARK: - For its users

extension SharedConnection {
    /// Waits for a connection. The caller must call `release` at the end.
    func acquire(until deadline: ContinuousClock.Instant? = nil) async throws(ClientError) -> Connection {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                addWaiter(Waiter(number: number, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancelWaiter(number)
        }
        return try result.get()
    }

    /// Lends the connection as long as the closure runs, and records whether it was useful.
    func lend<R, Failure: Error>(
        until deadline: ContinuousClock.Instant, isolation: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws(Failure) -> R
    ) async throws(ClientError) -> Result<R, Failure> {
        let connection = try await acquire(until: deadline)
        defer { release() }
        do throws(Failure) {
            let result = try await body(connection)
            noteUse()
            return .success(result)
        } catch {
            return .failure(error)
        }
    }

    private func addWaiter(_ waiter: Waiter) {
        let (result, mustRun): (Result<Connection, ClientError>?, Bool) = state.withLock { state in
            // A later cancellation finds the waiter.
            if Task.isCancelled { return (.failure(.cancelled), false) }
            if let connection = state.connection, connection.isOpen {
                state.users += 1
                state.usersEver += 1
                return (.success(connection), false)
            }
            state.waiting.append(waiter)
            defer { state.isRunning = true }
            return (nil, !state.isRunning)
        }
        if let result { waiter.continuation.resume(returning: result) }
        // The task ends by itself when the connection is no longer needed.
        if mustRun { Task { await run() } }
    }

    private func cancelWaiter(_ number: Int) {
        let waiter: Waiter? = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: .failure(.cancelled))
    }

    func release() {
        let unused = state.withLock { state in
            state.users -= 1
            return state.users == 0 ? state.unused : nil
        }
        unused?.yield()
    }

    /// Records that a reply or a state arrived: the next loss is the first of a series.
    func noteUse() { state.withLock { $0.failures = 0 } }

    /// Drops a connection that has ended, so that other users need not find out themselves.
    func giveUp(_ connection: Connection) {
        change { state in
            guard state.connection === connection else { return }
            state.connection = nil
            state.failures += 1
            state.visible = .disconnected(connection.lossReason)
        }
    }
}

// MARK: - What it is doing

extension SharedConnection {
    var connectionState: ConnectionState { state.withLock { $0.visible } }

    var connection: Connection? { state.withLock { $0.connection } }

    /// The current state, and then each new one; a slow reader gets only the newest.
    var connectionStates: some AsyncSequence<ConnectionState, Never> & Sendable {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = continuation
            return state.lastObserver
        }
        continuation.onTermination = { _ in
            _ = self.state.withLock { $0.observers.removeValue(forKey: number) }
        }
        continuation.yield()
        return changes.map { self.connectionState }
    }

    /// Changes the state and notifies the observers of a visible change. Nothing is called or resumed inside the lock: see
    /// `MessageRouter`.
    private func change<R: Sendable>(_ body: (inout sending State) -> R) -> R {
        let (result, observers, reason) = state.withLock { state in
            let before = state.visible
            let result = body(&state)
            let isNew = state.visible != before
            return (result, isNew ? Array(state.observers.values) : [], isNew ? state.visible.reason : nil)
        }
        for observer in observers { observer.yield() }
        if let reason { onWaiting?(reason) }
        return result
    }
}

// MARK: - Making and keeping it

extension SharedConnection {
    private func run() async {
        while let pause = pauseBeforeNextAttempt() {
            if pause > .zero { try? await Task.sleep(for: pause) }
            await connectOnce()
        }
    }

    /// Nil if no task waits for an attempt.
    private func pauseBeforeNextAttempt() -> Duration? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.isRunning = false
                return nil
            }
            return Backoff.pause(afterFailures: state.failures)
        }
    }

    private func connectOnce() async {
        do {
            let path = try path ?? .find()
            try await Connection.withConnection(
                to: path, name: name, replyTimeout: replyTimeout, watch: watch
            ) { connection in
                handOut(connection)
                await waitUntilClosedOrUnused(connection)
                giveUp(connection)
            }
        } catch let error as ClientError {
            recordFailure(error)
        } catch {
            // Thrown when a connection is closed that had already ended.
        }
    }

    private func handOut(_ connection: Connection) {
        let waiting = change { state in
            state.connection = connection
            state.users += state.waiting.count
            state.usersEver += state.waiting.count
            state.visible = .connected
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.continuation.resume(returning: .success(connection)) }
    }

    private func recordFailure(_ error: ClientError) {
        let now = ContinuousClock.now
        let failed = change { state in
            state.failures += 1
            state.visible = .disconnected(error)
            let isOver = { (waiter: Waiter) in
                !error.isHealedByReconnecting || waiter.deadline.map { $0 <= now } ?? false
            }
            defer { state.waiting.removeAll(where: isOver) }
            return state.waiting.filter(isOver)
        }
        for waiter in failed { waiter.continuation.resume(returning: .failure(error)) }
    }

    private func waitUntilClosedOrUnused(_ connection: Connection) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await connection.closed() }
            group.addTask { await self.waitUntilUnused() }
            await group.next()
            group.cancelAll()
        }
    }

    /// Waits until the connection has not been needed for a while, and withdraws it.
    private func waitUntilUnused() async {
        let (unused, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.unused = continuation }
        // Checks once, even if the last user has already finished.
        continuation.yield()
        for await _ in unused {
            let usersEver = state.withLock { $0.usersEver }
            try? await Task.sleep(for: Self.lingering)
            if Task.isCancelled { return }
            let isUnused = change { state in
                guard state.users == 0, state.usersEver == usersEver else { return false }
                state.connection = nil
                state.visible = .disconnected(nil)
                return true
            }
            if isUnused { return }
        }
    }
}
