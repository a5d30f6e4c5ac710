import SharedLog

/// One host: a daemon and a connector, each of which may be killed.
///
/// Unchecked, because a world uses one thread.
final class SimulatedHost: @unchecked Sendable {
    static let space = SpaceKeys("default")

    let number: Int
    let daemon: SimulatedDaemon
    let place = NetworkPlace()
    let timer: HostTimer
    private let world: World
    private let etcd: Etcd
    private let limits: SharingLimits
    private let fault: PlantedFault?
    private var connector: (task: Task<Void, Never>, etcd: EtcdConnection)?
    private var connections: [DaemonConnection] = []
    private(set) var said: [String] = []

    init(
        _ number: Int, _ world: World, _ etcd: Etcd, _ limits: SharingLimits, _ fault: PlantedFault?
    ) {
        timer = HostTimer(world)
        (self.number, self.world, self.etcd, self.limits, self.fault) = (number, world, etcd, limits, fault)
        daemon = SimulatedDaemon(number, world, timer)
    }

    var name: String { "host\(number)" }

    // MARK: The connector, with the program's code

    func startConnector() {
        guard connector == nil else { return }
        let client = EtcdConnection(world, etcd, place, timer, first: number % etcd.members.count)
        let task = world.begin { [self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await client.run() }
                group.addTask { await self.serve(client) }
            }
        }
        connector = (task, client)
    }

    /// Serves one connection to the daemon after the other.
    private func serve(_ client: EtcdConnection) async {
        while !Task.isCancelled {
            if let connection = DaemonConnection(daemon, fault) {
                connections = [connection]
                try? await session(connection, client)
                connection.close()
            }
            try? await timer.sleep(.milliseconds(world.number(25...1_000)))
        }
    }

    private func session(_ connection: DaemonConnection, _ client: EtcdConnection) async throws {
        let space = SharedSpace(
            ListRegister(Self.space, of: client), of: name, daemon: connection, limits: limits, time: timer.time
        ) { self.say($0) }
        let lists = try await connection.attach()
        let lease = HostLease(client, Self.space, of: name, time: timer.time) { self.say($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            // As in the program, the session ends with the connection.
            group.addTask {
                await connection.closed()
                throw DaemonError.gone
            }
            group.addTask {
                try await space.serve(lists, connection.events, engine: client, under: lease, lookingEvery: .seconds(2))
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func say(_ text: String) { if said.count < 20 { said.append(text) } }

    func killConnector() {
        guard let connector else { return }
        self.connector = nil
        connector.etcd.die()
        for connection in connections { connection.close() }
        connector.task.cancel()
    }
}
