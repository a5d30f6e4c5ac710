import Synchronization

@testable import DiffableStore

/// Clocks that a test sets. The time of day jumps where it likes; what ages goes by the time that passed.
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

    /// Time goes by while the daemon runs.
    func pass(seconds: Double) {
        times.withLock { times in
            times.timeOfDay += Int(seconds * 1_000)
            times.uptime += Int(seconds * 1_000)
        }
    }

    /// Somebody sets the time of day; by ten years one way or the other if nothing is said.
    func jump(years: Int = Bool.random() ? 10 : -10) {
        times.withLock { $0.timeOfDay += years * 31_536_000_000 }
    }

    /// The machine was down for a while, and its uptime begins anew.
    func restartMachine(after seconds: Int = .random(in: 1...1_000_000)) {
        times.withLock { times in
            times.timeOfDay += seconds * 1_000
            times.uptime = Int.random(in: 1...60_000)
        }
    }
}
