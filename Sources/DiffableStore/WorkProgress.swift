import Synchronization

/// Tells a queue that hangs from one that works slowly: for how long the job at hand has stood still.
///
/// The queue says when a job begins and ends, and a long one that it moves; who watches asks from any thread. What the
/// kernel does in one call, a sync above all, is not seen from here. So a job that has much to write says so, and has
/// time for it at the pace of a slow disk before it counts as standing still.
package final class WorkProgress: Sendable {
    private struct State {
        /// When the job at hand last moved; nil when there is none.
        var moved: SuspendingClock.Instant?
        var timeToWrite = Duration.zero
    }

    private let state = Mutex(State())

    /// In bytes a second: a tenth of what a disk does that turns, in pages that lie about.
    static let slowestWriting = 64 << 10

    package init() {}

    // The clock of systemd's watchdog (CLOCK_MONOTONIC): a machine that sleeps makes no job late.

    func begin(at now: SuspendingClock.Instant = .now) {
        state.withLock { $0 = State(moved: now) }
    }

    func move(at now: SuspendingClock.Instant = .now) {
        state.withLock { if $0.moved != nil { $0.moved = now } }
    }

    /// The job at hand may write so many bytes in one call of the system.
    func expectToWrite(_ length: Int) {
        state.withLock { $0.timeToWrite += .milliseconds(length * 1_000 / WorkProgress.slowestWriting) }
    }

    func end() {
        state.withLock { $0 = State() }
    }

    /// For how long the job at hand has not moved, beyond the time that it has for what it writes; zero when there is
    /// none.
    package func standstill(at now: SuspendingClock.Instant = .now) -> Duration {
        state.withLock { state in
            guard let moved = state.moved else { return .zero }
            return max(.zero, moved.duration(to: now) - state.timeToWrite)
        }
    }
}
