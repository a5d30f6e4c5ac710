extension SharedSpace {
    /// Shares a daemon's lists, until the connection to it ends or this is cancelled.
    ///
    /// - Parameters:
    ///   - lists: the daemon's lists, with their epochs and positions.
    ///   - events: the daemon's notifications.
    ///   - lease: keeps the host's key during this call: without a daemon the host is absent.
    ///   - interval: the interval of polling etcd, even if the watch is silent.
    package nonisolated func serve(
        _ lists: [(list: String, epoch: String, replica: Replica)], _ events: AsyncStream<DaemonEvent>,
        engine: some FollowedEngine, under lease: HostLease, lookingEvery interval: Duration
    ) async throws {
        await attach(lists)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.run() }
            group.addTask { try await self.answer(events) }
            group.addTask {
                // Leases under the host's name come from the daemon, which asks for nothing before a list is live.
                await lease.begin()
                async let keeping: Void = lease.keep()
                await engine.follow(self, lookingEvery: interval)
                await keeping
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private nonisolated func answer(_ events: AsyncStream<DaemonEvent>) async throws {
        for await event in events {
            switch event {
            case .call(let call): await take(call)
            case .behind(let list, let epoch, let replica): await fallBack(list, epoch, to: replica)
            case .detached: throw DaemonError.refused("another diffabled-etcd has taken its place; stop one of the two")
            }
        }
    }
}
