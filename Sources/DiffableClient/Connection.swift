import DiffableJSON
import DiffableProtocol
import Dispatch
import NIOCore
import NIOPosix
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A connection to a daemon, as long as a closure runs.
///
///     try await Connection.withConnection(to: .find()) { connection in
///         try await connection.transact("tasks", [.appendItems([Item(id: "milk")])])
///         for try await update in try await connection.subscribe(to: "tasks") { draw(update.snapshot) }
///     }
///
/// Requests and subscriptions may be mixed freely, from any task: the lines of one request stay together, and other requests
/// wait for them. One task of the connection reads. It has no queue: a reply is passed to its caller, and a notification to its
/// subscription's local copy.
public final class Connection: Sendable {
    /// The socket that it is connected to.
    public let path: SocketPath
    /// The time without data after which a daemon counts as hanging; nil: forever.
    let replyTimeout: Duration?
    let channel: any Channel
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let router = Mutex(MessageRouter())
    private let turns = FairSemaphore()
    /// The limit of a line in bytes from the daemon's `hello`.
    let lineLengthMaxTold = Mutex<Int?>(nil)
    /// The limit of a line that is read, in bytes. Replies of a trusted daemon have no practical limit.
    private let lineReadLengthMax = Atomic(1 << 40)

    /// The time at which the last data was handled, by the loop's clock in nanoseconds; 0 while data is being handled.
    let quietSince = Atomic<UInt64>(0)
    let hasGivenUp = Atomic(false)

    private init(
        to path: SocketPath, replyTimeout: Duration?, channel: any Channel,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.path = path
        self.replyTimeout = replyTimeout
        self.channel = channel
        self.outbound = outbound
    }

    /// Changes the conversation, and then resumes the tasks that are due.
    func withRouter<R: Sendable>(_ body: (inout sending MessageRouter) -> R) -> R {
        let (result, due) = router.withLock { router in
            (body(&router), router.takeReadyReplies())
        }
        for due in due { due.resume() }
        return result
    }

    /// Connects, runs the closure, and closes the connection.
    ///
    /// - Parameters:
    ///   - name: the client's name in the daemon's log.
    ///   - replyTimeout: the time without any data after which the connection is given up (`noReply`), even though the client
    ///     has asked whether the daemon is alive. It limits the time of a single reply; nil waits forever.
    public static func withConnection<R: Sendable>(
        to path: SocketPath, name: String? = nil, replyTimeout: Duration? = Connection.replyTimeoutUsual,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws -> R
    ) async throws -> R {
        try await withConnection(
            to: path, name: name, replyTimeout: replyTimeout, watch: .always, isolation: isolation, body)
    }

    static func withConnection<R: Sendable>(
        to path: SocketPath, name: String?, replyTimeout: Duration?, watch: SilenceWatch,
        isolation: isolated (any Actor)? = #isolation, _ body: (Connection) async throws -> R
    ) async throws -> R {
        try await withConnection(
            over: try await connect(to: path), path, name: name, replyTimeout: replyTimeout, watch: watch,
            isolation: isolation, body)
    }

    /// Connects over a socket that leads to a daemon in any way; the socket is closed at the end. `path` is its name in errors.
    package static func withConnection<R: Sendable>(
        over descriptor: CInt, _ path: SocketPath, name: String?, replyTimeout: Duration?,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws -> R
    ) async throws -> R {
        try await withConnection(
            over: try await channel(over: descriptor), path, name: name, replyTimeout: replyTimeout, watch: .always,
            isolation: isolation,
            body)
    }

    private static func withConnection<R: Sendable>(
        over asyncChannel: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ path: SocketPath, name: String?,
        replyTimeout: Duration?, watch: SilenceWatch, isolation: isolated (any Actor)?,
        _ body: (Connection) async throws -> R
    ) async throws -> R {
        let channel = asyncChannel.channel
        return try await asyncChannel.executeThenClose { inbound, outbound in
            let connection = Connection(
                to: path, replyTimeout: replyTimeout, channel: channel, outbound: outbound)
            connection.noteQuiet()
            let asking = watch == .always ? connection.watchSilence() : nil
            defer { asking?.cancel() }
            let greeting = watch == .untilGreeted ? connection.watchGreeting() : nil
            defer { greeting?.cancel() }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await connection.read(inbound) }
                defer { group.cancelAll() }
                if let name { try await connection.hello(name: name) }
                greeting?.cancel()
                return try await body(connection)
            }
        }
    }

    /// A minute: a daemon replies in milliseconds, and needs seconds for the largest lists.
    public static let replyTimeoutUsual = Duration.seconds(60)

    private static func connect(to path: SocketPath) async throws(ClientError) -> NIOAsyncChannel<
        ByteBuffer, ByteBuffer
    > {
        var refusals = 0
        while true {
            if let descriptor = try path.connected(waits: false) {
                do { return try await channel(over: descriptor) } catch {
                    throw .noConnection(path, reason: "\(error)")
                }
            }
            // More clients are connecting at once than the kernel queues. A blocking call would wait here.
            refusals += 1
            guard refusals <= refusalsMax else { throw .noConnection(path, reason: String(cString: strerror(EAGAIN))) }
            do { try await Task.sleep(for: .milliseconds(10)) } catch { throw .cancelled }
        }
    }

    /// The number of attempts, 10 ms apart, while the kernel's queue is full: five seconds.
    private static let refusalsMax = 500

    private static func channel(over descriptor: CInt) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // Otherwise an out-of-band byte wakes the event loop, and cannot be read.
            .channelOption(.socketOption(.init(rawValue: SO_OOBINLINE)), value: 1)
            .withConnectedSocket(descriptor) { channel in
                channel.eventLoop.makeCompletedFuture {
                    // A child process would keep the connection open, and could send over it.
                    try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                        of: NIOBSDSocket.Handle.self
                    ) { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// Whether data may still arrive. An end that is not noticed yet does not count.
    var isOpen: Bool { withRouter { $0.end == nil } }

    package func closed() async {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard withRouter({ $0.notifyOfEnd { _ in continuation.finish() } }) else { return }
        for await _ in ends {}
    }
}

// MARK: - Requests

extension Connection {
    /// Writes the next line of a request. Returns `.more` if another follows.
    package typealias Writing = (RequestID, inout ByteWriter) throws(ClientError) -> Progress

    package func reply(to request: Request) async throws(ClientError) -> [UInt8] {
        try await exchange(.reply) { id, writer throws(ClientError) in
            request.write(id: id, into: &writer)
            return .done
        }
    }

    /// Sends a request of any number of lines. A line is written when the socket accepts it, so the memory needed is that of
    /// one line.
    package func reply(_ writing: Writing) async throws(ClientError) -> [UInt8] {
        try await exchange(.reply, writing)
    }

    func exchange(_ expectation: MessageRouter.Expectation, _ writing: Writing) async throws(ClientError) -> [UInt8] {
        try await answer(to: try await send(expectation, writing))
    }

    private func send(_ expectation: MessageRouter.Expectation, _ writing: Writing) async throws(ClientError) -> Int {
        guard await turns.acquire() else { throw .cancelled }
        defer { turns.release() }
        let id = try withRouter { $0.register(expectation) }.get()
        var isInParts = false
        do throws(ClientError) {
            var writer = ByteWriter()
            var progress: Progress
            repeat {
                writer.removeAll()
                progress = try writing(.number(id), &writer)
                if progress == .more { isInParts = true }
                try await write(writer)
            } while progress == .more
        } catch {
            withRouter { $0.abandon(id) }
            // Before any other request is written: incomplete parts must never be completed by another request's last part.
            if isInParts { await closeAfterIncompleteRequest() }
            throw error
        }
        return id
    }

    private func write(_ line: ByteWriter) async throws(ClientError) {
        do { try await outbound.write(line.withUnsafeBytes { ByteBuffer(bytes: $0) }) } catch {
            throw error is CancellationError ? .cancelled : lossReason
        }
    }

    /// Ends the connection for all its users. The daemon discards the incomplete request.
    private func closeAfterIncompleteRequest() async {
        // It may be closed already.
        try? await channel.close().get()
    }

    private func answer(to id: Int) async throws(ClientError) -> [UInt8] {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                withRouter { $0.wait(for: id, continuation) }
            }
        } onCancel: {
            withRouter { $0.abandon(id) }
        }
        return try answer.get()
    }

    func forget(subscription: Int) {
        withRouter { $0.forget(subscription: subscription) }
    }

    /// Ends a subscription without waiting for the reply, so also where waiting is impossible.
    func endSoon(subscription: Int) {
        forget(subscription: subscription)
        writeSoon(.unsubscribe(.init(subscription: subscription)), id: .absent)
    }

    /// Changes the subscription's view. The subscription's receiver is notified when it takes effect. Does not wait.
    func setViewSoon(_ view: CurrentView.Version, subscription: Int) {
        guard case .success(let id) = withRouter({ $0.register(.view(view, subscription: subscription)) }) else {
            return
        }
        writeSoon(.setView(.init(view.view, subscription: subscription)), id: .number(id))
    }

    /// The line may be between the parts of another request.
    func writeSoon(_ request: Request, id: RequestID) {
        var writer = ByteWriter()
        request.write(id: id, into: &writer)
        channel.writeAndFlush(writer.withUnsafeBytes { ByteBuffer(bytes: $0) }, promise: nil)
    }
}

// MARK: - Reading

extension Connection {
    /// Limits the lines that are read, for a daemon that is not trusted.
    package func limitLinesRead(to length: Int) { lineReadLengthMax.store(length, ordering: .relaxed) }

    private func read(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async {
        var framer = LineFramer(lineLengthMax: lineReadLengthMax.load(ordering: .relaxed))
        var unintelligible: ClientError?
        do {
            for try await buffer in inbound {
                noteArrival()
                framer.lineLengthMax = lineReadLengthMax.load(ordering: .relaxed)
                buffer.withUnsafeReadableBytes { framer.append($0) }
                while let arrival = framer.next(Connection.message) {
                    let (message, line) = try arrival.get()
                    await carryOut(withRouter { $0.receive(message, line: line) })
                }
                noteQuiet()
            }
        } catch let error as ClientError {
            unintelligible = error
        } catch {
            // The end of a connection and an error on it mean the same: no more data arrives.
        }
        let end = unintelligible ?? lossReason
        await carryOut(withRouter { $0.finish(end) })
    }

    private static func message(_ line: LineFramer.Line) -> Result<(Message, line: [UInt8]), ClientError> {
        guard case .line(let bytes) = line else { return .failure(.unintelligible("a line that is too long")) }
        do {
            let message = try Message(line: bytes)
            switch message {
            case .reset, .changes, .snapshot, .patch, .bookmark, .listsChanged, .listDeleted, .subscriptionEnded,
                .request, .requestCancelled, .handlerEnded, .other(method: "restore"):
                return .success((message, Array(bytes)))
            default: return .success((message, []))
            }
        } catch {
            return .failure(.unintelligible("\(error)"))
        }
    }

    private func carryOut(_ action: MessageRouter.Action) async {
        switch action {
        case .none: break
        case .tell(let receiver, let arrival): await receiver(arrival)
        case .tellAll(let receivers, let reason):
            for receiver in receivers { await receiver(.end(reason)) }
        case .unsubscribe(let subscription): endSoon(subscription: subscription)
        case .unhandle(let handler): endSoon(handler: handler)
        }
    }
}
