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

/// A connection to a daemon, for as long as a closure runs.
///
///     try await Connection.withConnection(to: .find()) { connection in
///         try await connection.transact("tasks", [.appendItems([Item(id: "milk")])])
///         for try await update in try await connection.subscribe(to: "tasks") { draw(update.snapshot) }
///     }
///
/// Requests and subscriptions mix freely, from any task: the lines of one request stay together, and whoever asks
/// meanwhile waits. One task of the connection reads; it holds no queue: a reply goes to whoever asked, a notification
/// into its subscription's mirror.
public final class Connection: Sendable {
    /// The socket that it is connected to.
    public let path: SocketPath
    /// How long nothing may come before a daemon counts as hanging; nil: for ever.
    let replyTimeout: Duration?
    let channel: any Channel
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let conversation = Mutex(Conversation())
    /// Whose request is being written.
    private let turns = Turns()
    /// How long a line the daemon takes, as it said in `hello`.
    let lineLengthMaxTold = Mutex<Int?>(nil)

    /// When the last thing that came was taken, by the loop's clock in nanoseconds; 0 while something is.
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

    /// Changes the conversation, and resumes those who are due then.
    func withConversation<R: Sendable>(_ body: (inout sending Conversation) -> R) -> R {
        let (result, due) = conversation.withLock { conversation in
            (body(&conversation), conversation.takeDue())
        }
        for due in due { due.resume() }
        return result
    }

    /// Connects, runs the closure, and closes.
    ///
    /// - Parameters:
    ///   - name: who this is, for the daemon's log.
    ///   - replyTimeout: how long the daemon may say nothing, also when asked whether it is there, before the connection is
    ///     given up (`noReply`). It is the longest that one answer may take; nil waits for ever.
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

    /// The same over a socket that leads to a daemon by whatever way, and is closed in the end.
    ///
    /// - Parameter path: what errors say that it leads to.
    package static func withConnection<R: Sendable>(
        over descriptor: CInt, _ path: SocketPath, name: String?, replyTimeout: Duration?,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws -> R
    ) async throws -> R {
        let asyncChannel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .withConnectedSocket(descriptor, channelInitializer: initialize)
        return try await withConnection(
            over: asyncChannel, path, name: name, replyTimeout: replyTimeout, watch: .always, isolation: isolation,
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

    /// A minute: a daemon answers in milliseconds, and needs seconds for the largest lists.
    public static let replyTimeoutUsual = Duration.seconds(60)

    private static func connect(to path: SocketPath) async throws(ClientError) -> NIOAsyncChannel<
        ByteBuffer, ByteBuffer
    > {
        let trusted = try path.trusted()
        var refusals = 0
        while true {
            do {
                return try await channel(to: trusted)
            } catch let error as IOError where [EACCES, EPERM].contains(error.errnoCode) {
                throw .noPermission(path)
            } catch let error as IOError where error.errnoCode == EAGAIN && refusals < refusalsMax {
                // More connect at once than the kernel queues. Whoever connects with a call that blocks waits here.
                refusals += 1
            } catch {
                throw .noConnection(path, reason: reason(error))
            }
            do { try await Task.sleep(for: .milliseconds(10)) } catch { throw .cancelled }
        }
    }

    /// Of a full queue: five seconds.
    private static let refusalsMax = 500

    private static func channel(to path: String) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: path, channelInitializer: initialize)
    }

    @Sendable
    private static func initialize(
        _ channel: any Channel
    ) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> {
        channel.eventLoop.makeCompletedFuture {
            // A program that is run would hold the connection, and could speak on it. NIO does not mark it.
            try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
            return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return String(cString: strerror(error.errnoCode))
    }

    /// Whether anything may still come over it. An end that nobody has noticed yet does not count.
    var isOpen: Bool { withConversation { $0.end == nil } }

    /// Waits for its end, or until the task is cancelled.
    package func closed() async {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard withConversation({ $0.tellEnd { _ in continuation.finish() } }) else { return }
        for await _ in ends {}
    }
}

// MARK: - Requests

extension Connection {
    /// Writes the next line of a request, and says whether another follows.
    package typealias Writing = (RequestID, inout ByteWriter) throws(ClientError) -> Progress

    /// Sends a request and waits for its result, as JSON.
    package func reply(to request: Request) async throws(ClientError) -> [UInt8] {
        try await exchange(.reply) { id, writer throws(ClientError) in
            request.write(id: id, into: &writer)
            return .done
        }
    }

    /// Sends a request of any number of lines. A line is sent when the socket takes it, so memory is that of a line.
    package func reply(_ writing: Writing) async throws(ClientError) -> [UInt8] {
        try await exchange(.reply, writing)
    }

    func exchange(_ expectation: Conversation.Expectation, _ writing: Writing) async throws(ClientError) -> [UInt8] {
        try await answer(to: try await send(expectation, writing))
    }

    /// Writes all lines of a request, and gives its number.
    private func send(_ expectation: Conversation.Expectation, _ writing: Writing) async throws(ClientError) -> Int {
        guard await turns.take() else { throw .cancelled }
        defer { turns.pass() }
        let id = try withConversation { $0.begin(expectation) }.get()
        // Whether the daemon may hold parts of it.
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
            withConversation { $0.abandon(id) }
            // Before anybody else has a turn: parts that wait for their last one must never be given another's.
            if isInParts { await breakOff() }
            throw error
        }
        return id
    }

    private func write(_ line: ByteWriter) async throws(ClientError) {
        do { try await outbound.write(line.withUnsafeBytes { ByteBuffer(bytes: $0) }) } catch {
            throw error is CancellationError ? .cancelled : lossReason
        }
    }

    /// Ends the connection, for everybody on it. The daemon forgets what was not finished.
    private func breakOff() async {
        // That it is closed already is as good.
        try? await channel.close().get()
    }

    private func answer(to id: Int) async throws(ClientError) -> [UInt8] {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                withConversation { $0.wait(for: id, continuation) }
            }
        } onCancel: {
            withConversation { $0.abandon(id) }
        }
        return try answer.get()
    }

    func forget(subscription: Int) {
        withConversation { $0.forget(subscription: subscription) }
    }

    /// Ends a subscription without waiting for the answer, which nobody reads: also from where nothing can wait.
    func endSoon(subscription: Int) {
        forget(subscription: subscription)
        writeSoon(.unsubscribe(.init(subscription: subscription)), id: .absent)
    }

    /// Shows something else of the list from when the subscription's receiver is told. Waits for nothing.
    func setViewSoon(_ view: ShownView.Version, subscription: Int) {
        guard case .success(let id) = withConversation({ $0.begin(.view(view, subscription: subscription)) }) else {
            return
        }
        writeSoon(.setView(.init(view.view, subscription: subscription)), id: .number(id))
    }

    /// The line may come between the parts of another request.
    func writeSoon(_ request: Request, id: RequestID) {
        var writer = ByteWriter()
        request.write(id: id, into: &writer)
        channel.writeAndFlush(writer.withUnsafeBytes { ByteBuffer(bytes: $0) }, promise: nil)
    }
}

// MARK: - Reading

extension Connection {
    /// Replies have no greatest length, and neither has what we trust the daemon with.
    private static let lineLengthMax = 1 << 40

    private func read(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async {
        var framer = LineFramer(lineLengthMax: Connection.lineLengthMax)
        var unintelligible: ClientError?
        do {
            for try await buffer in inbound {
                noteArrival()
                buffer.withUnsafeReadableBytes { framer.append($0) }
                while let arrival = framer.next(Connection.message) {
                    let (message, line) = try arrival.get()
                    await act(withConversation { $0.receive(message, line: line) })
                }
                noteQuiet()
            }
        } catch let error as ClientError {
            unintelligible = error
        } catch {
            // The end of a connection and an error on it mean the same: nothing more will come.
        }
        let end = unintelligible ?? lossReason
        await act(withConversation { $0.finish(end) })
    }

    private static func message(_ line: LineFramer.Line) -> Result<(Message, line: [UInt8]), ClientError> {
        guard case .line(let bytes) = line else { return .failure(.unintelligible("an endless line")) }
        do {
            let message = try Message(line: bytes)
            switch message {
            case .reset, .changes, .snapshot, .patch, .bookmark, .listDeleted, .subscriptionEnded,
                .request, .requestCancelled, .handlerEnded, .other(method: "restore"):
                return .success((message, Array(bytes)))
            default: return .success((message, []))
            }
        } catch {
            return .failure(.unintelligible("\(error)"))
        }
    }

    private func act(_ action: Conversation.Action) async {
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
