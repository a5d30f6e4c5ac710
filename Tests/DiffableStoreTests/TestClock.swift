import Synchronization

@testable import DiffableStore

/// Clocks that a test sets. The time of day may jump; only elapsed time ages entries.
final class TestClock: Sendable {
    private struct Times {
        var timeOfDay = 1_763_763_525_000
        var uptime = 4_000
    }

    private let times = Mutex(Times())

    var clock: StoreClock {
        StoreClock(
            timeOfDay: { Timestamp(milliseconds: self.times.withLock { $0.timeOfDay }) },
            uptime: { self.times.withLock { $0.uptime } })
    }

    /// Advances the time while the daemon runs.
    func pass(seconds: Double) {
        times.withLock { times in
            times.timeOfDay += Int(seconds * 1_000)
            times.uptime += Int(seconds * 1_000)
        }
    }

    /// Sets the time of day, by default ten years forward or back.
    func jump(years: Int = Bool.random() ? 10 : -10) {
        times.withLock { $0.timeOfDay += years * 31_536_000_000 }
    }

    /// Restarts the machine after some time off, which resets its uptime.
    func restartMachine(after seconds: Int = .random(in: 1...1_000_000)) {
        times.withLock { times in
            times.timeOfDay += seconds * 1_000
            times.uptime = Int.random(in: 1...60_000)
        }
    }
}
