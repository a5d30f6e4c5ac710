import NIOCore

/// Wakes whoever asked for it at a given time: subscriptions that hold back for their `minInterval`, and those that owe
/// a `bookmark`.
///
/// Those who are to be woken in the same millisecond share one timer, and nobody else has any. To set and to cancel
/// costs O(1).
final class DeadlineTimers<Sleeper: AnyObject> {
    private let eventLoop: any EventLoop
    private let wake: (Sleeper) -> Void
    private var bells: [Time: Bell] = [:]

    /// In milliseconds of the loop's clock.
    typealias Time = UInt64

    private struct Bell {
        var sleepers: [ObjectIdentifier: Sleeper] = [:]
        var timer: Scheduled<Void>
    }

    init(on eventLoop: any EventLoop, wake: @escaping (Sleeper) -> Void) {
        self.eventLoop = eventLoop
        self.wake = wake
    }

    /// How many timers run.
    var count: Int { bells.count }

    /// That time, or up to a millisecond later.
    static func time(_ deadline: NIODeadline) -> Time { (deadline.uptimeNanoseconds + 999_999) / 1_000_000 }

    /// Has somebody woken; it sleeps until then or until it is cancelled.
    func set(_ time: Time, for sleeper: Sleeper) {
        bells[time, default: bell(at: time)].sleepers[ObjectIdentifier(sleeper)] = sleeper
    }

    func cancel(_ time: Time, for sleeper: Sleeper) {
        bells[time]?.sleepers[ObjectIdentifier(sleeper)] = nil
        guard bells[time]?.sleepers.isEmpty == true else { return }
        bells.removeValue(forKey: time)?.timer.cancel()
    }

    private func bell(at time: Time) -> Bell {
        let timers = NIOLoopBound(self, eventLoop: eventLoop)
        return Bell(
            timer: eventLoop.scheduleTask(deadline: .uptimeNanoseconds(time * 1_000_000)) { timers.value.ring(time) })
    }

    private func ring(_ time: Time) {
        guard let bell = bells.removeValue(forKey: time) else { return }
        for sleeper in bell.sleepers.values { wake(sleeper) }
    }
}
