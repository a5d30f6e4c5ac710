import DiffableClient
import Files
import Glibc
import Logging
import NIOCore
import NIOPosix

package struct WebSettings: Sendable {
    package var router: RequestRouter
    /// The directory of `links.json`.
    package var stateDirectory: String
    /// The daemon's socket; nil for the one that every client finds.
    package var daemonSocket: String?
    package var ownPages: UserPages?
    /// The time without connections after which the server is idle; nil if it never is.
    package var idleMax: TimeAmount?
    /// The time in which a connection must have sent a request; also between two requests.
    package var firstRequest = TimeAmount.seconds(WebLimits.firstRequestSeconds)
    package var connectionsMax = WebLimits.connectionsMax
    package var connectionsPerTokenMax = WebLimits.connectionsPerTokenMax

    package init(router: RequestRouter, stateDirectory: String) {
        self.router = router
        self.stateDirectory = stateDirectory
    }
}

/// Serves browsers on some addresses, with one event loop. The methods may be called from anywhere.
package final class WebServer: Sendable {
    private let loop: any EventLoop
    private let hub: NIOLoopBound<WebHub>
    private let listeners: [any Channel]
    /// The sockets that this server made.
    private let paths: [String]

    private init(loop: any EventLoop, hub: NIOLoopBound<WebHub>, listeners: [any Channel], paths: [String]) {
        self.paths = paths
        self.loop = loop
        self.hub = hub
        self.listeners = listeners
    }

    /// Listens on all addresses, or throws the error of the first that cannot be used.
    package static func start(
        _ addresses: [ListenAddress], settings: WebSettings, logger: Logger,
        group: MultiThreadedEventLoopGroup = .singleton
    ) async throws(ListenError) -> WebServer {
        let loop = group.next()
        let hub: NIOLoopBound<WebHub>
        do {
            hub = try await loop.submit {
                NIOLoopBound(WebHub(settings: settings, logger: logger, loop: loop), eventLoop: loop)
            }.get()
        } catch { throw ListenError(address: "the event loop", reason: "\(error)") }
        let bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4 << 10))
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 16 << 10, high: 64 << 10))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try accept(channel, hub.value) }
            }
        var listeners: [any Channel] = []
        for address in addresses {
            do { listeners.append(try await address.listen(bootstrap)) } catch {
                for listener in listeners { try? await listener.close() }
                let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
                throw ListenError(address: "\(address)", reason: reason)
            }
        }
        let paths = addresses.compactMap { if case .unix(let path) = $0 { path } else { nil } }
        return WebServer(loop: loop, hub: hub, listeners: listeners, paths: paths)
    }

    private static func accept(_ channel: any Channel, _ hub: WebHub) throws {
        guard hub.add(channel) else {
            channel.writeAndFlush(
                ByteBuffer(string: "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            ).whenComplete { _ in channel.close(promise: nil) }
            return
        }
        if channel.localAddress?.protocol != .unix {
            // Detects a browser that vanished without closing the connection.
            try channel.syncOptions?.setOption(.socketOption(.so_keepalive), value: 1)
            // The limit of unsent bytes in the kernel (TCP_NOTSENT_LOWAT, which Swift does not import). With less in
            // the kernel, a slow browser gets newer changes.
            try channel.syncOptions?.setOption(ChannelOptions.tcpOption(.init(rawValue: 25)), value: 64 << 10)
        }
        try RequestHandler.add(to: channel.pipeline.syncOperations, hub: hub)
    }

    /// The addresses, as they are bound.
    package var addresses: [SocketAddress] { listeners.compactMap(\.localAddress) }

    /// Returns when the server is idle (`WebSettings.idleMax`), or has stopped.
    package func waitUntilIdle() async {
        let hub = hub
        try? await loop.flatSubmit { hub.value.whenIdle }.get()
    }

    /// Accepts no more, says goodbye, and closes all connections within 1.5 seconds.
    package func stop() async {
        for listener in listeners { try? await listener.close() }
        let hub = hub
        loop.execute { hub.value.stop() }
        await waitUntilIdle()
        for path in paths { unlink(path) }
    }
}

/// Where a server listens.
package enum ListenAddress: Equatable, Sendable, CustomStringConvertible {
    /// An IP address and a port; port 0 is any free one.
    case internet(host: String, port: Int)
    case unix(String)
    /// A listening socket that the service manager passed.
    case descriptor(Int32)

    package static let usual = ListenAddress.internet(host: "127.0.0.1", port: 8_090)

    /// Reads `127.0.0.1:8090`, `[::1]:8090`, `localhost:8090` or `unix:PATH`; nil if it is something else.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            guard text.utf8.count > 5 else { return nil }
            self = .unix(String(text.dropFirst(5)))
            return
        }
        guard let authority = Authority(text), let port = authority.port,
            authority.isIPAddress || authority.host == "localhost"
        else { return nil }
        let host = authority.host == "localhost" ? "127.0.0.1" : authority.host.filter { !"[]".contains($0) }
        self = .internet(host: host, port: port)
    }

    package var description: String {
        switch self {
        case .internet(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        case .descriptor(let number): "the socket \(number) that systemd passed"
        }
    }

    fileprivate func listen(_ bootstrap: ServerBootstrap) async throws -> any Channel {
        switch self {
        case .internet(let host, let port):
            return try await bootstrap.bind(to: SocketAddress(ipAddress: host, port: port)).get()
        case .unix(let path):
            let directory = TrustedPath.parts(of: path).directory
            do throws(UntrustedPath) { _ = try TrustedPath(directory: directory) } catch {
                throw ListenError(address: "\(self)", reason: error.reason(for: directory))
            }
            // A socket that a dead server left.
            if SocketPath.isAbandoned(path) { unlink(path) }
            return try await bootstrap.bind(unixDomainSocketPath: path).get()
        case .descriptor(let number): return try await bootstrap.withBoundSocket(number).get()
        }
    }
}

package struct ListenError: Error, CustomStringConvertible {
    package let address: String
    package let reason: String

    package var description: String { "cannot listen on \(address): \(reason)" }
}

extension SocketAddress {
    /// Whether only programs of this machine can connect.
    package var isLoopback: Bool {
        switch self {
        case .unixDomainSocket: true
        case .v4: ipAddress?.hasPrefix("127.") ?? false
        case .v6: ipAddress == "::1"
        }
    }
}
