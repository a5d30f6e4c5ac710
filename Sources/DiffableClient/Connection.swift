#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif
import DiffableJSON
import DiffableProtocol
import NIOCore
import NIOPosix
import Synchronization

/// A connection to a daemon, for as long as a closure runs.
///
///     try await Connection.withConnection(to: .find()) { connection in
///         try await connection.transact("tasks", [.appendItems([Item(id: "milk")])])
///         for try await update in try await connection.subscribe(to: "tasks") { draw(update.snapshot) }
///     }
///
/// Requests and subscriptions mix freely, from any task. One task of the connection reads; it holds no queue: a reply
/// goes to whoever asked, a notification into its subscription's mirror.
public final class Connection: Sendable {
    public let path: SocketPath
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let conversation = Mutex(Conversation())

    private init(to path: SocketPath, outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>) {
        self.path = path
        self.outbound = outbound
    }

    /// Connects, runs the closure, and closes.
    ///
    /// - Parameter name: who this is, for the daemon's log and its list of clients.
    public static func withConnection<R: Sendable>(
        to path: SocketPath, name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws -> R
    ) async throws -> R {
        let channel = try await connect(to: path)
        return try await channel.executeThenClose { inbound, outbound in
            let connection = Connection(to: path, outbound: outbound)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await connection.read(inbound) }
                defer { group.cancelAll() }
                if let name { _ = try await connection.hello(name: name) }
                return try await body(connection)
            }
        }
    }

    private static func connect(to path: SocketPath) async throws(ClientError) -> NIOAsyncChannel<
        ByteBuffer, ByteBuffer
    > {
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(unixDomainSocketPath: path.path) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw .noConnection(path, reason: reason(error))
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return String(cString: strerror(error.errnoCode))
    }
}

// MARK: - Requests

extension Connection {
    /// Writes the next line of a request, and says whether another follows.
    package typealias Writing = (RequestID, inout ByteWriter) -> Progress

    /// Sends a request and waits for its result, as JSON.
    package func reply(to request: Request) async throws(ClientError) -> [UInt8] {
        try await exchange(.reply) { id, writer in
            request.write(id: id, into: &writer)
            return .done
        }
    }

    /// Sends a request of any number of lines. A line is sent when the socket takes it, so memory is that of a line.
    package func reply(_ writing: Writing) async throws(ClientError) -> [UInt8] {
        try await exchange(.reply, writing)
    }

    func exchange(_ expectation: Conversation.Expectation, _ writing: Writing) async throws(ClientError) -> [UInt8] {
        let id = try conversation.withLock { $0.begin(expectation) }.get()
        var writer = ByteWriter()
        var progress = Progress.more
        while progress == .more {
            writer.removeAll()
            progress = writing(.number(id), &writer)
            do { try await outbound.write(ByteBuffer(bytes: writer.bytes)) } catch {
                conversation.withLock { $0.abandon(id) }
                throw error is CancellationError ? .cancelled : .connectionLost(path)
            }
        }
        return try await answer(to: id)
    }

    private func answer(to id: Int) async throws(ClientError) -> [UInt8] {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                conversation.withLock { $0.wait(for: id, continuation) }
            }
        } onCancel: {
            conversation.withLock { $0.abandon(id) }
        }
        return try answer.get()
    }

    func forget(subscription: Int) {
        conversation.withLock { $0.forget(subscription: subscription) }
    }
}

// MARK: - Reading

extension Connection {
    /// Replies have no greatest length, and neither has what we trust the daemon with.
    private static let lineLengthMax = 1 << 40

    private func read(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async {
        var framer = LineFramer(lineLengthMax: Connection.lineLengthMax)
        var end = ClientError.connectionLost(path)
        do {
            for try await buffer in inbound {
                buffer.withUnsafeReadableBytes { framer.append($0) }
                while let arrival = framer.next(Connection.message) {
                    let (message, line) = try arrival.get()
                    await act(conversation.withLock { $0.receive(message, line: line) })
                }
            }
        } catch let error as ClientError {
            end = error
        } catch {
            // The end of a connection and an error on it mean the same: nothing more will come.
        }
        await act(conversation.withLock { $0.finish(end) })
    }

    private static func message(_ line: LineFramer.Line) -> Result<(Message, line: [UInt8]), ClientError> {
        guard case .line(let bytes) = line else { return .failure(.unintelligible("an endless line")) }
        do {
            let message = try Message(line: bytes)
            switch message {
            case .reset, .changes, .listDeleted: return .success((message, Array(bytes)))
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
        }
    }
}
