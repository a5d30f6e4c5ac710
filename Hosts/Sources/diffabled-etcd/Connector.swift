import DiffableClient
import EtcdClient
import SharedLog

/// Connects a daemon and etcd, and reconnects whenever one of the two is lost.
struct Connector: Sendable {
    /// The interval of polling etcd, even if the watch is silent.
    static let lookInterval = Duration.seconds(2)

    let client: EtcdClient
    let keys: SpaceKeys
    let host: String
    let socket: SocketPath

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await client.run() }
            group.addTask { await serve() }
        }
    }

    /// Serves one connection to the daemon after the other.
    private func serve() async {
        var failures = 0
        var said = ""
        while !Task.isCancelled {
            let start = ContinuousClock.now
            do { try await session() } catch {
                let words = words(for: error)
                if words != said { say(words) }
                said = words
            }
            if start.duration(to: .now) > .seconds(10) { (failures, said) = (0, "") }
            failures += 1
            try? await Task.sleep(for: Backoff.pause(afterFailures: failures))
        }
    }

    private func session() async throws {
        let (events, event) = AsyncStream.makeStream(of: DaemonEvent.self)
        try await DaemonConnection.with(socket) {
            event.yield($0)
        } _: { daemon in
            let space = SharedSpace(ListRegister(keys, of: client), of: host, daemon: daemon, say: say)
            let lists = try await daemon.attach(as: host, in: keys.space)
            let count = lists.count == 1 ? "1 list" : "\(lists.count) lists"
            say("attached to the daemon at \(socket), which shares \(count)")
            let lease = HostLease(client, keys, of: host, say: say)
            try await space.serve(lists, events, engine: client, under: lease, lookingEvery: Self.lookInterval)
        }
    }
}

/// Returns the sentence for an error of the connection to the daemon.
func words(for error: any Error) -> String {
    switch error {
    case let error as ClientError: error.sentence(socket: "--socket")
    case DaemonError.refused(let reason): "the daemon refused this connector: \(reason)"
    case DaemonError.gone: "the daemon closed the connection"
    default: "the connection to the daemon failed: \(error)"
    }
}
