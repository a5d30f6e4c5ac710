import Glibc

/// A time of day by the machine's clock.
package struct Timestamp: Sendable, Equatable {
    /// Since the beginning of 1970, UTC.
    package let milliseconds: Int

    package init(milliseconds: Int) { self.milliseconds = milliseconds }
}

/// How long daemons have run with these lists, all together. The past and the keys of requests age by it.
///
/// The time of day is no measure of age, because it jumps: a machine without a clock of its own wakes up in 1970, and
/// jumps by years when somebody sets it. The running time stands still while no daemon runs and while the machine
/// sleeps, because clients cannot come back then.
package struct RunningTime: Sendable, Equatable, Comparable {
    /// From an arbitrary moment. What is older than this clock has its time of day instead.
    package let milliseconds: Int

    package init(milliseconds: Int) { self.milliseconds = milliseconds }

    package static func < (one: RunningTime, other: RunningTime) -> Bool { one.milliseconds < other.milliseconds }

    /// - Parameter age: in seconds.
    func isOlder(than age: Int, at now: RunningTime) -> Bool { now.milliseconds - milliseconds > age * 1_000 }
}

/// A time on both clocks.
package struct Moment: Sendable, Equatable {
    /// For people.
    package let timeOfDay: Timestamp
    /// For its age.
    package let running: RunningTime

    package init(timeOfDay: Timestamp, running: RunningTime) {
        self.timeOfDay = timeOfDay
        self.running = running
    }
}

/// The clocks of a store.
package struct StoreClock: Sendable {
    private let timeOfDay: @Sendable () -> Timestamp
    /// In milliseconds, from an arbitrary moment. It never jumps.
    private let uptime: @Sendable () -> Int
    /// The running time when the uptime was zero, in milliseconds.
    private var runningBefore = 0

    package init(timeOfDay: @escaping @Sendable () -> Timestamp, uptime: @escaping @Sendable () -> Int) {
        self.timeOfDay = timeOfDay
        self.uptime = uptime
    }

    /// The machine's clocks.
    package static let system = StoreClock(
        timeOfDay: { Timestamp(milliseconds: milliseconds(of: CLOCK_REALTIME)) },
        uptime: { milliseconds(of: CLOCK_MONOTONIC) })

    var running: RunningTime { RunningTime(milliseconds: runningBefore + uptime()) }

    var now: Moment { Moment(timeOfDay: timeOfDay(), running: running) }

    /// The same clocks, with the running time continued from here.
    func going(onFrom time: RunningTime) -> StoreClock {
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
