/// Keeps this host's key in etcd while the host is present: its daemon, and a connector that reaches etcd. Other hosts list the
/// present hosts by these keys, and end the leases of clients on absent ones.
package actor HostLease {
    package struct Times: Sendable {
        /// The time without a keep-alive after which etcd deletes the key.
        package var life = Duration.seconds(10)
        package var interval = Duration.seconds(3)
        /// The time before trying again to put a missing key.
        package var retry = Duration.seconds(1)

        package init() {}
    }

    private let client: any LeasingEngine
    private let key: String
    private let host: String
    private let times: Times
    private let time: HostTime
    private let say: @Sendable (String) -> Void
    private var lease: Int64?
    /// A lease for which the key may be missing.
    private var tried: Int64?
    private var isDouble = false

    package init(
        _ client: any LeasingEngine, _ keys: SpaceKeys, of host: String, times: Times = Times(),
        time: HostTime = .real, say: @escaping @Sendable (String) -> Void
    ) {
        (self.client, self.host, self.times, self.time, self.say) = (client, host, times, time, say)
        key = keys.host(host)
    }

    /// Tries once to put the key, so that it exists before clients of this host lease items.
    package func begin() async {
        await client.connected()
        await take()
    }

    /// Keeps the key after `begin`, until this is cancelled. Then deletes it.
    package func keep() async {
        while !Task.isCancelled {
            await client.connected()
            if let lease, (try? await client.keepAlive(lease)) == false { self.lease = nil }
            if lease == nil { await take() }
            try? await time.sleep(lease == nil ? times.retry : times.interval)
        }
        await end()
    }

    private func take() async {
        guard lease == nil else { return }
        if tried == nil { tried = try? await client.grantLease(for: times.life) }
        guard let granted = tried else { return }
        let put = Transaction(
            if: [.absent(key)], [.put(key: key, value: "{}", lease: granted)], otherwise: [.get(.key(key))])
        do {
            let result = try await client.run(put)
            // An earlier attempt succeeded, though its answer was lost.
            if result.succeeded || result.found.first?.first?.lease == granted {
                (lease, tried, isDouble) = (granted, nil, false)
            } else {
                tried = nil
                try? await client.revoke(granted)
                // The key from before a crash expires.
                if !isDouble {
                    say(
                        "the host name \(host) is in use in etcd. If diffabled-etcd has just been restarted here, that ends in "
                            + "some seconds; otherwise another host has this name, and the two would delete the leased items of each "
                            + "other's clients: choose another name with --host")
                }
                isDouble = true
            }
        } catch {
            // The lease has ended.
            if case .refused = error { tried = nil }
        }
    }

    /// Ends the lease. If the request is lost, the key expires.
    private func end() async {
        guard let held = lease ?? tried else { return }
        (lease, tried) = (nil, nil)
        try? await client.revoke(held)
    }
}
