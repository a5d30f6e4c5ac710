import Glibc
import Logging
import NIOCore

/// The limits of a server. `diffable-web --help` names them.
package enum WebLimits {
    /// Connections of browsers.
    package static let connectionsMax = 1_000
    /// WebSockets and other streams of one link.
    package static let connectionsPerTokenMax = 100
    /// Bytes of a browser's message.
    package static let messageLengthMax = 1 << 20
    /// Seconds in which a connection must have sent a request; also between two requests.
    package static let firstRequestSeconds: Int64 = 10
}

/// A WebSocket or a streamed response that a link allows.
protocol LinkedStream: AnyObject {
    var link: Link { get }
    func linkEnded()
    func serverStops()
}

/// What all connections of a server share. It lives on the event loop.
final class WebHub {
    let loop: any EventLoop
    let settings: WebSettings
    let logger: Logger
    private(set) lazy var health = HealthCheck(hub: self)

    private let links: CurrentLinks
    private var channels: [ObjectIdentifier: any Channel] = [:]
    private var streams: [ObjectIdentifier: any LinkedStream] = [:]
    private var watch: DirectoryWatch?
    private var nextComparison: Scheduled<Void>?
    private var isStopping = false
    private var idleTask: Scheduled<Void>?
    private let idle: EventLoopPromise<Void>
    private var hasComplained: Set<String> = []

    /// The interval at which open streams are compared with the links, if no change of the file is reported.
    private static let comparisonInterval = TimeAmount.milliseconds(500)

    init(settings: WebSettings, logger: Logger, loop: any EventLoop) {
        self.settings = settings
        self.logger = logger
        self.loop = loop
        links = CurrentLinks(LinkFile(directory: settings.stateDirectory))
        idle = loop.makePromise()
        startIdleTimer()
    }

    // A server that could not listen never was idle.
    deinit { idle.succeed() }

    // MARK: - Connections

    /// Adds a new connection; returns false if there are too many.
    func add(_ channel: any Channel) -> Bool {
        guard channels.count < settings.connectionsMax, !isStopping else { return false }
        channels[ObjectIdentifier(channel)] = channel
        idleTask?.cancel()
        let (bound, id) = (NIOLoopBound(self, eventLoop: loop), ObjectIdentifier(channel))
        channel.closeFuture.whenComplete { _ in bound.value.remove(id) }
        return true
    }

    private func remove(_ channel: ObjectIdentifier) {
        channels[channel] = nil
        if channels.isEmpty { isStopping ? idle.succeed() : startIdleTimer() }
    }

    /// Succeeds when there has been no connection for `settings.idleMax`, or when the server has stopped.
    var whenIdle: EventLoopFuture<Void> { idle.futureResult }

    private func startIdleTimer() {
        guard let limit = settings.idleMax else { return }
        idleTask = loop.assumeIsolated().scheduleTask(in: limit) { [weak self] in
            guard let self, channels.isEmpty else { return }
            idle.succeed()
        }
    }

    // MARK: - Links and streams

    func currentLinks() -> [Link] { links.read { complain(once: "\($0)") } }

    var now: Int { time(nil) }

    /// Whether a link has room for another stream.
    func hasRoom(for link: Link) -> Bool {
        streams.values.count { $0.link.token == link.token } < settings.connectionsPerTokenMax
    }

    func begin(_ stream: any LinkedStream) {
        streams[ObjectIdentifier(stream)] = stream
        if watch == nil || stream.link.end != nil { return endRemovedLinks() }
        // The link may be gone since the request was read. All other streams were compared after the last change.
        if !currentLinks().contains(stream.link) { stream.linkEnded() }
    }

    func end(_ stream: any LinkedStream) {
        streams[ObjectIdentifier(stream)] = nil
        guard streams.isEmpty else { return }
        watch = nil
        nextComparison?.cancel()
    }

    /// Ends streams whose link was removed or changed, or has ended.
    private func endRemovedLinks() {
        nextComparison?.cancel()
        guard !streams.isEmpty else { return }
        // Before the file is read, so that no change is missed.
        if watch == nil { watch = watchLinks() }
        let (links, now) = (currentLinks(), now)
        for stream in streams.values where !links.contains(stream.link) || stream.link.hasEnded(at: now) {
            stream.linkEnded()
        }
        let nextEnd = streams.values.compactMap(\.link.end).min().map { TimeAmount.seconds(Int64(max(1, $0 - now))) }
        guard let interval = watch == nil ? Self.comparisonInterval : nextEnd else { return }
        nextComparison = loop.assumeIsolated().scheduleTask(in: interval) { [weak self] in self?.endRemovedLinks() }
    }

    private func watchLinks() -> DirectoryWatch? {
        let hub = NIOLoopBound(self, eventLoop: loop)
        return DirectoryWatch(settings.stateDirectory) { [loop] change in
            loop.execute {
                if case .directory = change { hub.value.watch = nil }
                hub.value.endRemovedLinks()
            }
        }
    }

    // MARK: - Stopping

    /// Ends all streams, and closes all connections within 1.5 seconds.
    func stop() {
        guard !isStopping else { return }
        isStopping = true
        guard !channels.isEmpty else { return idle.succeed() }
        let streams = streams.values
        for stream in streams { stream.serverStops() }
        loop.assumeIsolated().scheduleTask(in: .milliseconds(1_500)) {
            for channel in self.channels.values { channel.close(promise: nil) }
        }
        if streams.isEmpty { for channel in channels.values { channel.close(promise: nil) } }
    }

    // MARK: - Complaints

    /// Logs that the daemon does not limit a connection for a browser, so that it is not served.
    func complain(refused name: String, _ message: String) {
        let reason = name == "methodNotFound" ? "it is too old for diffable-web; upgrade and restart it" : message
        complain(once: "the daemon does not limit connections for browsers, so they are refused: \(reason)")
    }

    /// Logs each text once, so that a browser that comes again and again does not fill the log.
    private func complain(once text: String) {
        if hasComplained.insert(text).inserted { logger.error("\(text)") }
    }
}

/// Whether the daemon answers. Any number of requests ask it once a second.
final class HealthCheck: DaemonReceiver {
    private static let freshMax = TimeAmount.seconds(1)

    private unowned let hub: WebHub
    private var daemon: DaemonConnection?
    private var answer: (isHealthy: Bool, time: NIODeadline)?
    private var waiting: [(Bool) -> Void] = []

    init(hub: WebHub) { self.hub = hub }

    func run(_ then: @escaping (Bool) -> Void) {
        if let answer, NIODeadline.now() - answer.time < Self.freshMax { return then(answer.isHealthy) }
        waiting.append(then)
        guard daemon == nil else { return }
        daemon = DaemonConnection.open(
            socket: hub.settings.daemonSocket, opening: "{\"id\":1,\"method\":\"ping\"}\n", within: .seconds(2),
            on: hub.loop, for: self)
    }

    private func finish(_ isHealthy: Bool) {
        daemon?.close()
        daemon = nil
        answer = (isHealthy, .now())
        let waiting = waiting
        self.waiting = []
        for then in waiting { then(isHealthy) }
    }

    func daemonIsReady() { finish(true) }
    func daemonEnded(_ end: DaemonEnd) { finish(false) }
    var acceptsBytes: Bool { true }
    func receive(_ bytes: ByteBuffer) {}
    func flush() {}
    func daemonAcceptsBytes() {}
}
