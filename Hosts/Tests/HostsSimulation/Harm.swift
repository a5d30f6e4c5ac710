import SharedLog

/// Temporary failures of hosts, of their connections to etcd, and of etcd.
///
/// Unchecked, because a world uses one thread.
final class Harm: @unchecked Sendable {
    private let world: World
    private let etcd: Etcd
    private let hosts: [SimulatedHost]
    private let end: Int
    /// At most one member is down at a time, because otherwise writes would stop.
    private var isMemberHarmed = false

    init(_ world: World, _ etcd: Etcd, _ hosts: [SimulatedHost], until end: Int) {
        (self.world, self.etcd, self.hosts, self.end) = (world, etcd, hosts, end)
    }

    func begin() {
        goOnWithHosts()
        goOnWithEtcd()
        world.at(end) { self.heal() }
    }

    private func goOnWithHosts() {
        guard world.now < end else { return }
        let host = hosts[world.number(0...hosts.count - 1)]
        let length = world.chance(0.2) ? world.number(5_000_000...20_000_000) : world.number(1_000...1_500_000)
        harm(host, for: min(length, end - world.now))
        world.after(world.number(1...8_000_000 / hosts.count)) { self.goOnWithHosts() }
    }

    private func harm(_ host: SimulatedHost, for length: Int) {
        let place = host.place
        switch world.number(0...9) {
        case 0: cut(host, [.toEtcd, .fromEtcd], length)
        case 1: cut(host, world.chance(0.5) ? [.toEtcd] : [.fromEtcd], length)
        case 2:
            place.loss = Double(world.number(1...30)) / 100
            world.after(length) { place.loss = 0 }
        case 3:
            place.lateness = Double(world.number(1...20)) / 100
            world.after(length) { place.lateness = 0 }
        case 4:
            place.watchFaults = Double(world.number(5...60)) / 100
            world.after(length) { place.watchFaults = 0 }
        case 5: host.timer.standStill(for: length)
        case 6:
            host.daemon.kill()
            world.after(length) { host.daemon.start() }
        case 7:
            host.killConnector()
            world.after(length) { host.startConnector() }
        case 8:
            host.daemon.disk.fullness = 0.5
            world.after(length) { host.daemon.disk.fullness = 0 }
        default:
            // Both processes at once.
            host.daemon.kill()
            host.killConnector()
            world.after(length) {
                host.daemon.start()
                host.startConnector()
            }
        }
    }

    private func cut(_ host: SimulatedHost, _ directions: [NetworkPlace.Direction], _ length: Int) {
        let all = Array(etcd.members.indices)
        host.place.close(directions, to: world.chance(0.5) ? all : [world.number(0...all.count - 1)])
        world.after(length) { host.place.heal() }
    }

    private func goOnWithEtcd() {
        guard world.now < end else { return }
        let length = min(world.number(500_000...6_000_000), end - world.now)
        switch world.number(0...6) {
        case 0, 1:
            harmMember(etcd.leader ?? 0, length) {
                self.etcd.kill($0)
            } mend: {
                self.etcd.start($0)
            }
        case 2:
            harmMember(world.number(0...2), length) {
                self.etcd.setIsolated($0, true)
            } mend: {
                self.etcd.setIsolated($0, false)
            }
        case 3: etcd.compact()
        case 4:
            etcd.costs.sync = 20_000...300_000
            world.after(length) { self.etcd.costs.sync = Etcd.Costs().sync }
        case 5:
            etcd.isFull = true
            world.after(min(length, 3_000_000)) { self.etcd.isFull = false }
        default: break
        }
        world.after(world.number(1_000_000...5_000_000)) { self.goOnWithEtcd() }
    }

    private func harmMember(_ member: Int, _ length: Int, _ harm: (Int) -> Void, mend: @escaping (Int) -> Void) {
        if isMemberHarmed { return }
        isMemberHarmed = true
        harm(member)
        world.after(length) {
            self.isMemberHarmed = false
            mend(member)
        }
    }

    /// Repairs all remaining failures.
    private func heal() {
        for host in hosts {
            host.place.heal()
            host.daemon.disk.fullness = 0
            host.daemon.start()
            host.startConnector()
        }
        etcd.isFull = false
        etcd.costs.sync = Etcd.Costs().sync
    }
}
