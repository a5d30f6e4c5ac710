extension Simulation {
    /// The range of times after killing a host in which its leases end: the last keep-alive was up to 3 s earlier, and the key
    /// expires 10 s after that. The other hosts poll every 2 s and wait for 5 s; a second more is for the compare-and-swap.
    private static let goneAfter = 10_000_000...18_000_000

    /// Checks that leased items are deleted with their client, their daemon and their whole host, but not when a connector
    /// restarts.
    func tryLeases() {
        for user in users { user.endLease() }
        wait(until: Self.goneAfter.upperBound, "nobody holds anything, and it is gone (lease)") {
            self.hosts.allSatisfy { !$0.daemon.hasLeases }
        }
        // The key of a killed connector expires before the next one puts its own.
        world.run(until: world.now + 12_000_000)
        // The second user is for `PlantedFault.hostDenied`.
        var some: [User] = []
        for user in users where some.count < 3 && !some.contains(where: { $0.host == user.host }) { some.append(user) }
        guard some.count == 3, hosts.count > 3 else { return }
        let items = some.map { $0.leaseItem() }
        wait(until: 15_000_000, "three users lease an item each (lease)") {
            some.allSatisfy(\.isIdle) && zip(some, items).allSatisfy { self.host($0).daemon.has($1) }
        }
        let (gone, connector, daemon) = (host(some[0]), host(some[1]), host(some[2]))
        let start = world.now
        gone.killConnector()
        gone.daemon.kill()
        connector.killConnector()
        daemon.daemon.kill()
        world.after(2_000_000) {
            connector.startConnector()
            daemon.daemon.start()
        }
        wait(until: 10_000_000, "what a daemon's clients held goes when it starts again (lease)") {
            daemon.daemon.isLive && !daemon.daemon.has(items[2])
        }
        wait(until: Self.goneAfter.upperBound, "what a host held goes when the host is gone (lease)") {
            !daemon.daemon.has(items[0])
        }
        report.leaseEnd = world.now - start
        if report.leaseEnd < Self.goneAfter.lowerBound {
            promises.break(
                "what a host held went \(report.leaseEnd / 1_000) ms after it was gone, which is too soon (lease)")
        }
        world.run(until: max(world.now, start + Self.goneAfter.upperBound))
        if !daemon.daemon.has(items[1]) {
            promises.break("what a host held went, though only its connector was away for 2 s (lease)")
        }
        gone.daemon.start()
        gone.startConnector()
        some[1].endLease()
    }

    private func host(_ user: User) -> SimulatedHost { hosts[user.host - 1] }
}
