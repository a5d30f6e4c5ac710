import HeapModule
import NIOCore

/// Wakes sleepers at given times: subscriptions that hold back for their `minInterval`, subscriptions that owe a
/// `bookmark`, silent connections, and requests that wait for a handler's answer.
///
/// Sleepers with the same millisecond share one bell, and all bells share one timer of the event loop, set for the
/// first bell. A bell without sleepers does not stop the timer, because most requests get their answers long before:
/// one useless wake-up costs less than a timer for each request. Setting and cancelling cost O(log bells).
final class DeadlineTimers<Sleeper: AnyObject> {
    private let eventLoop: any EventLoop
    private let wake: (Sleeper) -> Void
    private var bells: [Time: [ObjectIdentifier: Sleeper]] = [:]
    /// The times of all bells, and of some bells without sleepers.
    private var times = Heap<Time>()
    /// The event loop's timer, set no later than the first bell.
    private var timer: (time: Time, Scheduled<Void>)?

    /// In milliseconds of the loop's clock.
    typealias Time = UInt64

    init(on eventLoop: any EventLoop, wake: @escaping (Sleeper) -> Void) {
        self.eventLoop = eventLoop
        self.wake = wake
    }

    /// The number of bells.
    var count: Int { bells.count }
    /// The number of times kept for them.
    var timesCount: Int { times.count }

    /// Converts a deadline, rounding up by less than a millisecond.
    static func time(_ deadline: NIODeadline) -> Time { (deadline.uptimeNanoseconds + 999_999) / 1_000_000 }

    /// Wakes a sleeper at this time, unless it is cancelled before.
    func set(_ time: Time, for sleeper: Sleeper) {
        let isFirst = bells[time, default: [:]].isEmpty
        bells[time, default: [:]][ObjectIdentifier(sleeper)] = sleeper
        guard isFirst else { return }
        times.insert(time)
        setTimer(time)
    }

    func cancel(_ time: Time, for sleeper: Sleeper) {
        bells[time]?[ObjectIdentifier(sleeper)] = nil
        guard bells[time]?.isEmpty == true else { return }
        bells[time] = nil
        if times.count > 2 * bells.count + Self.timesKept { times = Heap(bells.keys) }
    }

    /// Outdated times that may stay, at least, before they are removed.
    static var timesKept: Int { 64 }

    /// Sets the timer to this time, unless it is set to an earlier one.
    private func setTimer(_ time: Time) {
        if let timer, timer.time <= time { return }
        timer?.1.cancel()
        let timers = NIOLoopBound(self, eventLoop: eventLoop)
        let scheduled = eventLoop.scheduleTask(deadline: .uptimeNanoseconds(time * 1_000_000)) {
            timers.value.fire(time)
        }
        timer = (time, scheduled)
    }

    private func fire(_ time: Time) {
        timer = nil
        var sleepers: [Sleeper] = []
        while let first = times.min {
            if let bell = bells[first] {
                if first > time {
                    setTimer(first)
                    break
                }
                bells[first] = nil
                sleepers += bell.values
            }
            times.removeMin()
        }
        for sleeper in sleepers { wake(sleeper) }
    }
}
