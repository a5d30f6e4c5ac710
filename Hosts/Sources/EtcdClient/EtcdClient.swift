import EtcdAPI
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Glibc
import NIOCore
import SharedLog

/// Calls etcd, over one connection at a time to one of its members; tries the next member when that one fails.
///
/// No call is repeated automatically, because the caller decides how to handle an unknown outcome. While no member answers,
/// calls are refused at once, so that no call has an unknown outcome without being sent.
package actor EtcdClient {
    package struct Deadlines: Hashable, Sendable {
        package var read = Duration.seconds(3)
        package var change = Duration.seconds(5)
        /// The timeout for the first call over a new connection, including the connection itself.
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
    /// The keys that this client uses, which etcd may permit only to some users.
    private let prefix: String
    private let certificates: ClientCertificates
    package nonisolated let deadlines: Deadlines
    private let pause: @Sendable (_ failures: Int) -> Duration
    private var next: Int
    private var links = 0
    /// The connection to the member that answered.
    private var link: Link?
    private var lost: AsyncStream<Never>.Continuation?
    /// Callers that wait for a member to answer.
    private var waiters: [AsyncStream<Never>.Continuation] = []
    /// Called when none of the members answers, with the problem of each.
    private let report: @Sendable (String) -> Void
    /// The failures of endpoints since one answered.
    private var failuresOfRound: [String] = []
    private(set) var lastFailure = "there was no connection to etcd yet"

    /// - Parameters:
    ///   - prefix: the beginning of all keys; its first key is read to find out whether a member answers.
    ///   - first: the endpoint to try first; hosts begin with different ones.
    ///   - report: called with the reasons when a round of all endpoints has failed.
    ///   - pause: the time to wait then.
    package init(
        _ endpoints: [Endpoint], _ certificates: ClientCertificates = ClientCertificates(),
        prefix: String = "/diffabled/", deadlines: Deadlines = Deadlines(), first: Int = 0,
        report: @escaping @Sendable (String) -> Void = { _ in },
        pause: @escaping @Sendable (_ failures: Int) -> Duration
    ) {
        precondition(!endpoints.isEmpty, "a client of etcd has an endpoint")
        self.endpoints = endpoints
        self.prefix = prefix
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
        // This detects a silently lost connection even if only a watch uses it.
        configuration.connection.keepalive = HTTP2ClientTransport.Config.Keepalive(
            time: .seconds(10), timeout: .seconds(5), allowWithoutCalls: false)
        // A member that is about to listen is found soon.
        configuration.backoff.initial = .milliseconds(50)
        configuration.backoff.max = .seconds(1)
        // Otherwise, each sequential call would take 100 µs longer.
        configuration.connection.flushCoalescing = nil
        return Client(
            transport: try Transport(
                target: endpoint.target, transportSecurity: endpoint.usesTLS ? certificates.security : .plaintext,
                config: configuration))
    }

    /// Whether the member answers and has a leader. The read must be linearizable, because any member may answer others alone.
    private func greet(_ link: Link) async -> Bool {
        var request = Etcdserverpb_RangeRequest()
        request.key = EtcdText.bytes(prefix)
        request.keysOnly = true
        do {
            let kv = Etcdserverpb_KV.Client(wrapping: link.client)
            _ = try await kv.range(request, options: options(deadlines.greeting, waitsForConnection: true))
            return !Task.isCancelled
        } catch {
            if Task.isCancelled { return false }
            let words = link.trustFailures.last?.description ?? "\(CallFailure(error).error)"
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

    /// Continues with the next member, unless that has already happened.
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
        // Nil means one attempt. gRPC's own retries and hedging could repeat an executed call.
        options.executionPolicy = nil
        // The transport applies the limit on requests to answers too (grpc-swift-nio-transport 2).
        options.maxRequestMessageBytes = 64 << 20
        options.maxResponseMessageBytes = 64 << 20
        return options
    }
}
