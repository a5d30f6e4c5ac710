extension SharedSpace {
    /// Shares a daemon's lists, until the connection to it ends or this is cancelled.
    ///
    /// - Parameters:
    ///   - lists: those that the daemon has, with their epochs and where they are.
    ///   - events: what the daemon says by itself.
    ///   - lease: of the host's key, which is there for as long as this lasts: without a daemon the host is not there.
    ///   - interval: between two looks at the engine, though its watch is silent.
    package nonisolated func serve(
        _ lists: [(list: String, epoch: String, replica: Replica)], _ events: AsyncStream<DaemonEvent>,
        engine: some FollowedEngine, under lease: HostLease, lookingEvery interval: Duration
    ) async throws {
        await attach(lists)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.run() }
            group.addTask { try await self.answer(events) }
            group.addTask {
                // What is held under the host's name comes from the daemon, and that asks for nothing before it hears
                // that a list is live.
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
            case .detached: throw DaemonError.refused("another connector has taken our place")
            }
        }
    }
}
