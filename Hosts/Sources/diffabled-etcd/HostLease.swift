import EtcdClient
import SharedLog

/// Keeps this host's key in etcd for as long as the process is there and reaches it, so that the others can see it.
struct HostLease: Sendable {
    static let time = Duration.seconds(10)
    static let interval = Duration.seconds(3)

    let client: EtcdClient
    let keys: SpaceKeys
    let host: String

    func keep() async {
        var lease: Int64?
        var isDouble = false
        while !Task.isCancelled {
            await client.connected()
            if let held = lease, (try? await client.keepAlive(held)) == false { lease = nil }
            if lease == nil, let granted = try? await client.grantLease(for: Self.time) {
                if await put(granted) {
                    (lease, isDouble) = (granted, false)
                } else {
                    try? await client.revoke(granted)
                    // Our own key of before a crash goes by itself.
                    if !isDouble {
                        say("a host calls itself \(host) already, or did so a moment ago; --host says another name")
                    }
                    isDouble = true
                }
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func put(_ lease: Int64) async -> Bool {
        let put = Transaction(if: [.absent(keys.host(host))], [.put(key: keys.host(host), value: "{}", lease: lease)])
        return (try? await client.run(put))?.succeeded ?? false
    }
}
