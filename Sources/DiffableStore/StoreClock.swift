import Glibc

/// A time of day according to the machine's clock.
package struct Timestamp: Sendable, Equatable {
    /// Since 1970-01-01, UTC.
    package let milliseconds: Int

    package init(milliseconds: Int) { self.milliseconds = milliseconds }
}

/// The total time for which daemons have run with these lists. The age of history and of request keys is measured with it.
///
/// The time of day does not measure age because it jumps: a machine without a battery-backed clock starts in 1970, and
/// jumps by years when its clock is set. The running time pauses while no daemon runs and while the machine sleeps,
/// because clients cannot reconnect then.
package struct RunningTime: Sendable, Equatable, Comparable {
    /// From an arbitrary origin. Records from before this clock existed have the time of day instead.
    package let milliseconds: Int

    package init(milliseconds: Int) { self.milliseconds = milliseconds }

    package static func < (one: RunningTime, other: RunningTime) -> Bool { one.milliseconds < other.milliseconds }

    /// - Parameter age: in seconds.
    func isOlder(than age: Int, at now: RunningTime) -> Bool { now.milliseconds - milliseconds > age * 1_000 }
}

package struct Moment: Sendable, Equatable {
    /// For people.
    package let timeOfDay: Timestamp
    /// For measuring age.
    package let running: RunningTime

    package init(timeOfDay: Timestamp, running: RunningTime) {
        self.timeOfDay = timeOfDay
        self.running = running
    }
}

package struct StoreClock: Sendable {
    private let timeOfDay: @Sendable () -> Timestamp
    /// In milliseconds, from an arbitrary origin. Monotonic.
    private let uptime: @Sendable () -> Int
    /// The running time at an uptime of zero, in milliseconds.
    private var runningBefore = 0

    package init(timeOfDay: @escaping @Sendable () -> Timestamp, uptime: @escaping @Sendable () -> Int) {
        self.timeOfDay = timeOfDay
        self.uptime = uptime
    }

    package static let system = StoreClock(
        timeOfDay: { Timestamp(milliseconds: milliseconds(of: CLOCK_REALTIME)) },
        uptime: { milliseconds(of: CLOCK_MONOTONIC) })

    var running: RunningTime { RunningTime(milliseconds: runningBefore + uptime()) }

    var now: Moment { Moment(timeOfDay: timeOfDay(), running: running) }

    /// A clock whose running time continues from `time`.
    func continuing(from time: RunningTime) -> StoreClock {
        var clock = self
        clock.runningBefore = time.milliseconds - uptime()
        return clock
    }

    private static func milliseconds(of clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}
