import SharedLog

extension EtcdClient {
    /// Tells a host's lists what happens in etcd, until this is cancelled: by a watch, which is a doorbell, and by
    /// looking from time to time, which finds what the watch misses.
    ///
    /// - Parameter interval: between two looks, though the watch was silent.
    package nonisolated func follow(_ space: SharedSpace, lookingEvery interval: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.look(in: space, every: interval) }
            group.addTask { await self.watch(in: space) }
        }
    }

    private nonisolated func look(in space: SharedSpace, every interval: Duration) async {
        await connected()
        while !Task.isCancelled {
            // A look that fails tells the daemon that nothing is live.
            if (try? await space.look()) == nil { await connected() }
            try? await Task.sleep(for: interval)
        }
    }

    private nonisolated func watch(in space: SharedSpace) async {
        while !Task.isCancelled {
            await connected()
            try? await watch(space.register.keys.all) {
                try? await space.look()
            } heard: { events in
                if await space.hear(events) { try? await space.look() }
            }
        }
    }
}
