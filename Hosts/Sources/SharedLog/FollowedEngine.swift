/// An engine that tells what happens in it.
package protocol FollowedEngine: Engine {
    /// Returns when the engine answers, or when this is cancelled.
    func connected() async

    /// Hears what is put below a prefix from now on, until the watch ends, which it may at any time.
    ///
    /// - Parameters:
    ///   - began: called when nothing is missed from now on.
    ///   - heard: called with what one message has, which may be repeated, late, or of a past that was taken back.
    func watch(
        _ prefix: String, began: @Sendable @escaping () async throws -> Void,
        heard: @Sendable @escaping ([EngineEvent]) async throws -> Void
    ) async throws(EngineError)
}

extension FollowedEngine {
    /// Tells a host's lists what happens in the engine, until this is cancelled: by a watch, which is a doorbell, and by
    /// looking from time to time, which finds what the watch misses.
    ///
    /// - Parameter interval: between two looks, though the watch was silent.
    package func follow(_ space: SharedSpace, lookingEvery interval: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.look(in: space, every: interval) }
            group.addTask { await self.watch(in: space) }
        }
    }

    private func look(in space: SharedSpace, every interval: Duration) async {
        await connected()
        while !Task.isCancelled {
            // A look that fails tells the daemon that nothing is live.
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
                if await space.hear(events) { try? await space.look() }
            }
        }
    }
}
