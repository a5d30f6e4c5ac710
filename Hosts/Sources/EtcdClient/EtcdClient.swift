import EtcdAPI
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Glibc
import NIOCore
import SharedLog

/// Calls to etcd, over one connection at a time to one of its members; the next member when that one fails.
///
/// Nothing is called twice by itself: who calls decides what an unknown outcome means. Until a member has answered, and
/// after it has stopped to, calls are refused at once, so that nothing is in doubt that was never sent.
package actor EtcdClient {
    package struct Deadlines: Hashable, Sendable {
        package var read = Duration.seconds(3)
        package var change = Duration.seconds(5)
        /// For the first call over a new connection, making it included.
        package var greeting = Duration.seconds(3)

        package init() {}
    }

    typealias Transport = HTTP2ClientTransport.Posix
    typealias Client = GRPCClient<Transport>

    /// A connection to one member.
    struct Link: Sendable {
        var number: Int
        var endpoint: Endpoint
        var client: Client
        var trustFailures: TrustFailures
    }

    private let endpoints: [Endpoint]
    private let certificates: ClientCertificates
    package nonisolated let deadlines: Deadlines
    private let pause: @Sendable (_ failures: Int) -> Duration
    private var next: Int
    private var links = 0
    /// That of a member that has answered.
    private var link: Link?
    private var lost: AsyncStream<Never>.Continuation?
    /// Who wait for a member that answers.
    private var waiters: [AsyncStream<Never>.Continuation] = []
    /// Called when none of the members answers, with what was wrong with each.
    private let report: @Sendable (String) -> Void
    /// Of the endpoints since one answered.
    private var failuresOfRound: [String] = []
    private(set) var lastFailure = "there was no connection to etcd yet"

    /// - Parameters:
    ///   - first: which endpoint is tried first; hosts do not all begin with the same one.
    ///   - report: called when a round of all endpoints has failed, with why.
    ///   - pause: how long to wait then.
    package init(
        _ endpoints: [Endpoint], _ certificates: ClientCertificates = ClientCertificates(),
        deadlines: Deadlines = Deadlines(), first: Int = 0,
        report: @escaping @Sendable (String) -> Void = { _ in },
        pause: @escaping @Sendable (_ failures: Int) -> Duration
    ) {
        precondition(!endpoints.isEmpty, "a client of etcd has an endpoint")
        self.endpoints = endpoints
        self.certificates = certificates
        self.deadlines = deadlines
        self.report = report
        self.pause = pause
        next = first % endpoints.count
    }

    package var endpoint: Endpoint? { link?.endpoint }
    package var failure: String { lastFailure }

    /// Waits until a member has answered, or this is cancelled.
    package func connected() async {
        guard link == nil else { return }
        let (answer, waiter) = AsyncStream.makeStream(of: Never.self)
        waiters.append(waiter)
        for await _ in answer {}
    }

    /// Keeps a connection, to one member after the other, until it is cancelled.
    package func run() async {
        var failures = 0
        while !Task.isCancelled {
            let endpoint = endpoints[next]
            let hasAnswered = await serve(endpoint)
            next = (next + 1) % endpoints.count
            failures = hasAnswered ? 0 : failures + 1
            failuresOfRound = hasAnswered ? [] : failuresOfRound.suffix(endpoints.count - 1) + [lastFailure]
            // The other members are tried at once.
            if failures > 0, failures % endpoints.count == 0, !Task.isCancelled {
                report(failuresOfRound.joined(separator: "; "))
                try? await Task.sleep(for: pause(failures / endpoints.count))
            }
        }
    }

    /// Returns when the member is lost; false if it never answered.
    private func serve(_ endpoint: Endpoint) async -> Bool {
        let client: Client
        let trustFailures = TrustFailures()
        do { client = try makeClient(endpoint, trustFailures) } catch {
            lastFailure = "\(endpoint): \(TrustFailure(error)?.description ?? "\(error)")"
            return false
        }
        links += 1
        let link = Link(number: links, endpoint: endpoint, client: client, trustFailures: trustFailures)
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await client.runConnections() }
            let hasAnswered = await greet(link)
            if hasAnswered { await waitForLoss(of: link) }
            client.beginGracefulShutdown()
            group.cancelAll()
            return hasAnswered
        }
    }

    private func makeClient(_ endpoint: Endpoint, _ trustFailures: TrustFailures) throws -> Client {
        if endpoint.usesTLS, let failure = TrustFailure.ofFiles(certificates, at: time(nil)) { throw failure }
        var configuration = Transport.Config.defaults
        configuration.channelDebuggingCallbacks.onCreateTCPConnection = { channel in
            PingAnswering.install(in: channel).flatMap { TrustFailureListening.install(in: channel, trustFailures) }
        }
        // A link that has gone without a word is noticed though only a watch uses it.
        configuration.connection.keepalive = HTTP2ClientTransport.Config.Keepalive(
            time: .seconds(10), timeout: .seconds(5), allowWithoutCalls: false)
        // A member that is about to listen is found soon.
        configuration.backoff.initial = .milliseconds(50)
        configuration.backoff.max = .seconds(1)
        // What is waited for one after the other would be 100 µs later each time.
        configuration.connection.flushCoalescing = nil
        return Client(
            transport: try Transport(
                target: endpoint.target, transportSecurity: endpoint.usesTLS ? certificates.security : .plaintext,
                config: configuration))
    }

    /// Whether the member answers, and has a leader: a read that any member may answer alone would not tell.
    private func greet(_ link: Link) async -> Bool {
        var request = Etcdserverpb_RangeRequest()
        request.key = EtcdText.bytes("/diffabled/")
        request.keysOnly = true
        do {
            let kv = Etcdserverpb_KV.Client(wrapping: link.client)
            _ = try await kv.range(request, options: options(deadlines.greeting, waitsForConnection: true))
            return !Task.isCancelled
        } catch {
            if Task.isCancelled { return false }
            let words = link.trustFailures.last?.description ?? EtcdClient.words(for: error)
            lastFailure = "\(link.endpoint): \(words)"
            return false
        }
    }

    private func waitForLoss(of link: Link) async {
        let (loss, lost) = AsyncStream.makeStream(of: Never.self)
        (self.link, self.lost) = (link, lost)
        for waiter in waiters { waiter.finish() }
        waiters = []
        for await _ in loss {}
        lose(link.number, "it was cancelled")
    }

    /// Goes on to the next member, unless that has happened already.
    func lose(_ number: Int, _ reason: String) {
        guard let link, link.number == number else { return }
        lastFailure = "\(link.endpoint): \(reason)"
        self.link = nil
        lost?.finish()
        lost = nil
    }

    func current() throws(EngineError) -> Link {
        guard let link else { throw .refused(lastFailure) }
        return link
    }

    nonisolated func options(_ timeout: Duration, waitsForConnection: Bool = false) -> CallOptions {
        var options = CallOptions.defaults
        options.timeout = timeout
        options.waitForReady = waitsForConnection
        // No policy is one attempt. gRPC's own retries and hedging would repeat what may have been carried out.
        options.executionPolicy = nil
        // The transport holds answers to what requests may have (grpc-swift-nio-transport 2).
        options.maxRequestMessageBytes = 64 << 20
        options.maxResponseMessageBytes = 64 << 20
        return options
    }
}
