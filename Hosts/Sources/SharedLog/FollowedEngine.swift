/// An engine with notifications of changes.
package protocol FollowedEngine: Engine {
    /// Returns when the engine answers, or when this is cancelled.
    func connected() async

    /// Watches a prefix until the watch ends, which may happen at any time.
    ///
    /// - Parameters:
    ///   - began: called when all further changes will be reported.
    ///   - heard: called with the events of one message, which may be repeated, late, or from a past that was rolled back.
    func watch(
        _ prefix: String, began: @Sendable @escaping () async throws -> Void,
        heard: @Sendable @escaping ([EngineEvent]) async throws -> Void
    ) async throws(EngineError)
}

extension FollowedEngine {
    /// Keeps a host's lists in sync with etcd until this is cancelled: a watch reports changes quickly, and polling finds
    /// changes that the watch misses.
    ///
    /// - Parameter interval: the interval of polling, even if the watch is silent.
    package func follow(_ space: SharedSpace, lookingEvery interval: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.look(in: space, every: interval) }
            group.addTask { await self.watch(in: space) }
        }
    }

    private func look(in space: SharedSpace, every interval: Duration) async {
        await connected()
        while !Task.isCancelled {
            // A failed poll reports to the daemon that no list is live.
            if (try? await space.look()) == nil { await connected() }
            try? await space.time.sleep(interval)
        }
    }

    private func watch(in space: SharedSpace) async {
        while !Task.isCancelled {
            await connected()
            try? await watch(space.register.keys.all) {
                try? await space.lookAtAll()
            } heard: { events in
                if await space.hear(events) { await space.lookAgain() }
            }
        }
    }
}
