/// Keeps this host's key in etcd for as long as the host is there: its daemon, and a connector that reaches etcd. Others
/// see by it which hosts there are, and end what is held by clients of one that has gone.
package actor HostLease {
    package struct Times: Sendable {
        /// The key goes when it was not kept for so long.
        package var life = Duration.seconds(10)
        package var interval = Duration.seconds(3)
        /// Until it is tried again to put a key that is not there.
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
    /// A lease under which the key is to be, which is not known to be there.
    private var tried: Int64?
    private var isDouble = false

    package init(
        _ client: any LeasingEngine, _ keys: SpaceKeys, of host: String, times: Times = Times(),
        time: HostTime = .real, say: @escaping @Sendable (String) -> Void
    ) {
        (self.client, self.host, self.times, self.time, self.say) = (client, host, times, time, say)
        key = keys.host(host)
    }

    /// Tries once to put the key, so that it is there before something is held under its name.
    package func begin() async {
        await client.connected()
        await take()
    }

    /// Once it has begun, and until this is cancelled. The key goes then.
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
            // An earlier try has arrived, though its answer has not.
            if result.succeeded || result.found.first?.first?.lease == granted {
                (lease, tried, isDouble) = (granted, nil, false)
            } else {
                tried = nil
                try? await client.revoke(granted)
                // Our own key of before a crash goes by itself.
                if !isDouble {
                    say(
                        "a host calls itself \(host) already, or did so a moment ago; two hosts of one name end what "
                            + "the other's clients lease: --host says another name")
                }
                isDouble = true
            }
        } catch {
            // The lease has ended.
            if case .refused = error { tried = nil }
        }
    }

    /// If it does not arrive, the key goes by itself.
    private func end() async {
        guard let held = lease ?? tried else { return }
        (lease, tried) = (nil, nil)
        try? await client.revoke(held)
    }
}
