import SharedLog

/// A host's timer. While the host is suspended, events are delayed until it continues.
///
/// Unchecked, because a world uses one thread.
final class HostTimer: @unchecked Sendable {
    private let world: World
    private var standstillEnd = 0
    private let start = ContinuousClock.now

    init(_ world: World) { self.world = world }

    func standStill(for time: Int) { standstillEnd = max(standstillEnd, world.now + time) }
    var isStandingStill: Bool { world.now < standstillEnd }

    func deliver(_ body: @escaping () -> Void) {
        if isStandingStill { return world.at(standstillEnd) { self.deliver(body) } }
        body()
    }

    func after(_ delay: Int, _ body: @escaping () -> Void) { world.after(delay) { self.deliver(body) } }

    func sleep(_ duration: Duration) async throws {
        let end = Promise<Void>()
        after(duration.microseconds) { end.keep(()) }
        await end.wait(cancelled: ())
        try Task.checkCancellation()
    }

    var time: HostTime {
        HostTime { [start, world] in
            start + .microseconds(world.now)
        } sleep: { duration in
            try await self.sleep(duration)
        }
    }
}
