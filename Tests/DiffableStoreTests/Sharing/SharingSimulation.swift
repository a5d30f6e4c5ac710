import Diffable

@testable import DiffableStore

/// Hosts that share a list on a model of etcd, with all kinds of failures.
final class SharingSimulation {
    let world: World
    let engine: ModelEngine
    let checks = SharingChecks()
    private var hosts: [ModelHost] = []
    private var clients: [ModelClient] = []

    init(seed: UInt64, hosts count: Int, clients clientCount: Int, fault: PlantedFault? = nil) {
        world = World(seed: seed)
        engine = ModelEngine(checks)
        hosts = (0..<count).map { number in
            ModelHost(number, world, engine, checks, fault) { [unowned self] in ring() }
        }
        clients = (0..<clientCount).map { ModelClient($0, world, engine, hosts, checks) }
    }

    /// The number of requests that leased items.
    var leased: Int { clients.reduce(0) { $0 + $1.leased } }
    var answered: Int { clients.reduce(0) { $0 + $1.answered } }

    /// Notifies every connector, usually.
    private func ring() {
        for host in hosts where world.chance(70) { world.after(world.number(1...10)) { host.connector.look() } }
    }

    /// - Parameter time: milliseconds with failures.
    func run(for time: Int) {
        for host in hosts { lookSometimes(host) }
        harm(until: time)
        world.run(until: time)
        for client in clients { client.isDone = true }
        // One host does not return; the items that it leased are deleted anyway.
        if hosts.count > 1, world.chance(50) { _ = hosts[0].die() }
        for host in hosts { (host.connector.isCutOff, host.connector.loss, host.fullness) = (false, 0, 0) }
        // All callers get answers, and all hosts catch up.
        world.run(until: time + 60_000)
        for host in hosts where host.isUp { host.checkEnd() }
        for (item, holder) in engine.holders where engine.isOver(holder, at: world.now) {
            checks.expect(false, "\(item) stays, which was leased by \(holder), who is gone")
        }
        for client in clients { client.checkEnd() }
    }

    private func lookSometimes(_ host: ModelHost) {
        world.after(world.number(500...1_500)) { [self] in
            host.connector.look()
            lookSometimes(host)
        }
    }

    private func harm(until end: Int) {
        guard world.now < end, let host = hosts.randomElement(using: &world.random) else { return }
        let length = world.chance(20) ? world.number(5_000...20_000) : world.number(1...1_500)
        switch world.number(0...6) {
        case 0:
            host.connector.isCutOff = true
            world.after(length) { host.connector.isCutOff = false }
        case 1: host.restart(after: length)
        case 2: host.restartConnector(after: length)
        case 3:
            host.fullness = 50
            world.after(length) { host.fullness = 0 }
        case 4:
            host.connector.loss = world.number(1...40)
            world.after(length) { host.connector.loss = 0 }
        default: break
        }
        world.after(world.number(1...2_000 / hosts.count)) { self.harm(until: end) }
    }
}
