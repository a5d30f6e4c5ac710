import DiffableStore
import Glibc
import Logging
import NIOCore
import NIOPosix

/// The Unix socket that clients connect to, and everything behind it.
///
/// Connections, subscriptions and the store share one event loop, which has to be the one of the store's executor. The
/// methods can be called on any thread.
package final class Server: Sendable {
    private let listener: any Channel
    let hub: NIOLoopBound<Hub>
    private let socketFile: SocketFile?

    /// The path of the socket. Nil if the server did not create it.
    package var socketPath: String? { socketFile?.path }

    private init(listener: any Channel, hub: NIOLoopBound<Hub>, socketFile: SocketFile?) {
        self.listener = listener
        self.hub = hub
        self.socketFile = socketFile
    }

    /// Listens and accepts connections. Replaces a socket file that a dead daemon left. Throws if a daemon is listening
    /// on it.
    package static func start(
        store: Store, options: ServerOptions, eventLoopGroup: MultiThreadedEventLoopGroup, logger: Logger
    ) async throws -> Server {
        let eventLoop = eventLoopGroup.next()
        let hub = try await eventLoop.submit {
            let hub = Hub(store: store, options: options, logger: logger, eventLoop: eventLoop)
            let bound = NIOLoopBound(hub, eventLoop: eventLoop)
            let background = hub.backgroundWork()
            store.assumeIsolated {
                $0.onCommit = { commits in bound.value.advance(by: commits) }
                $0.onGroupStart = { bound.value.noteGroupStart() }
                $0.background = background
                $0.onLiveness = { list in bound.value.announceLiveness(of: list) }
                $0.wakeLater = { delay in bound.value.endSharedWaits(in: delay) }
            }
            return bound
        }.get()
        _ = try await eventLoop.flatSubmit { hub.value.lookSignal.start(on: eventLoop) }.get()
        let bootstrap = ServerBootstrap(group: eventLoop)
            .serverChannelOption(.backlog, value: 4_096)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(hub: hub.value))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // Otherwise an out-of-band byte would wake the event loop and could not be read.
            .childChannelOption(.socketOption(.init(rawValue: SO_OOBINLINE)), value: 1)
            // Most clients send one short line and then listen, so their buffers are kept small.
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(
                    minimum: 64, initial: 512, maximum: 1 << 16)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try hub.value.admit(channel) }
            }
        switch options.listening {
        case .path(let path):
            let file = SocketFile(path: path, directoryMode: options.clients == .everyone ? 0o755 : 0o700)
            try file.prepare()
            let listener = try await listen(on: path, for: options.clients, bootstrap)
            return Server(listener: listener, hub: hub, socketFile: file)
        case .descriptor(let descriptor):
            let listener = try await bootstrap.withBoundSocket(descriptor).get()
            return Server(listener: listener, hub: hub, socketFile: nil)
        }
    }

    private static func listen(
        on path: String, for clients: AllowedUsers, _ bootstrap: ServerBootstrap
    ) async throws -> any Channel {
        // Decides only about connecting. The lists decide about everything else.
        let mask = umask(clients == .everyone ? 0o111 : 0o177)
        defer { umask(mask) }
        do {
            return try await bootstrap.bind(unixDomainSocketPath: path).get()
        } catch {
            throw ServerError.cannotListen(path: path, reason: "\(error)")
        }
    }

    /// Applies settings to everything that has any, in one step, and then calls back on the event loop.
    package func apply(_ settings: ServerSettings, then: @escaping @Sendable () -> Void) {
        let hub = self.hub
        listener.eventLoop.execute {
            hub.value.apply(settings)
            then()
        }
    }

    /// The state of the server in a sentence, for people.
    package func sentence() async -> String {
        let hub = self.hub
        return await withCheckedContinuation { continuation in
            listener.eventLoop.execute { continuation.resume(returning: hub.value.figures.sentence) }
        }
    }

    /// Accepts no more connections, answers pending requests, sends subscribers the updates they lack, and closes.
    /// After `limit` it closes the remaining connections as they are.
    package func shutDown(within limit: Duration) async {
        try? await listener.close()
        socketFile?.remove()
        let eventLoop = listener.eventLoop
        let isEmpty = eventLoop.makePromise(of: Void.self)
        let hub = self.hub
        eventLoop.execute { hub.value.drain { isEmpty.succeed() } }
        let nanoseconds = limit.components.seconds * 1_000_000_000 + limit.components.attoseconds / 1_000_000_000
        let timeout = eventLoop.scheduleTask(in: .nanoseconds(nanoseconds)) { hub.value.closeAll() }
        try? await isEmpty.futureResult.get()
        timeout.cancel()
        eventLoop.execute { hub.value.lookSignal.stop() }
    }
}
