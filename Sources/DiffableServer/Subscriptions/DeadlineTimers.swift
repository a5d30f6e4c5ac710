import HeapModule
import NIOCore

/// Wakes whoever asked for it at a given time: subscriptions that hold back for their `minInterval`, those that owe a
/// `bookmark`, connections that are silent, and those who wait for a handler's answer.
///
/// Those who are to be woken in the same millisecond share one bell, and all share one timer of the loop, for the first
/// bell. A bell that nobody needs any more does not stop the timer, because most who wait for an answer have it long
/// before: that the loop wakes up once for nothing costs less than a timer for each. To set and to cancel costs
/// O(log bells).
final class DeadlineTimers<Sleeper: AnyObject> {
    private let eventLoop: any EventLoop
    private let wake: (Sleeper) -> Void
    private var bells: [Time: [ObjectIdentifier: Sleeper]] = [:]
    /// Those of all bells, and some of bells that nobody needs any more.
    private var times = Heap<Time>()
    /// No later than the first bell.
    private var timer: (time: Time, Scheduled<Void>)?

    /// In milliseconds of the loop's clock.
    typealias Time = UInt64

    init(on eventLoop: any EventLoop, wake: @escaping (Sleeper) -> Void) {
        self.eventLoop = eventLoop
        self.wake = wake
    }

    /// How many bells there are.
    var count: Int { bells.count }
    /// How many times are remembered for them.
    var timesCount: Int { times.count }

    /// That time, or up to a millisecond later.
    static func time(_ deadline: NIODeadline) -> Time { (deadline.uptimeNanoseconds + 999_999) / 1_000_000 }

    /// Has somebody woken; it sleeps until then or until it is cancelled.
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

    /// How many times of bells that nobody needs stay, at least.
    static var timesKept: Int { 64 }

    /// Wakes up at that time at the latest.
    private func setTimer(_ time: Time) {
        if let timer, timer.time <= time { return }
        timer?.1.cancel()
        let timers = NIOLoopBound(self, eventLoop: eventLoop)
        let scheduled = eventLoop.scheduleTask(deadline: .uptimeNanoseconds(time * 1_000_000)) {
            timers.value.ring(time)
        }
        timer = (time, scheduled)
    }

    private func ring(_ time: Time) {
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
