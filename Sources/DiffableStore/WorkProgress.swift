import Synchronization

/// Distinguishes a queue that hangs from one that works slowly: how long the job at hand has made no progress.
///
/// The queue reports when a job begins and ends, and progress within a long one; a watchdog asks from any thread. A
/// single call of the kernel, above all a sync, is not visible here. So a job that has much to write reports that
/// first, and has time for it at the pace of a slow disk before it counts as standing still.
package final class WorkProgress: Sendable {
    private struct State {
        /// When the job at hand last made progress; nil without a job.
        var moved: SuspendingClock.Instant?
        var timeToWrite = Duration.zero
    }

    private let state = Mutex(State())

    /// In bytes a second: a tenth of what a rotating disk does with scattered pages.
    static let slowestWriting = 64 << 10

    package init() {}

    // The clock of systemd's watchdog (CLOCK_MONOTONIC): a machine that sleeps makes no job late.

    func begin(at now: SuspendingClock.Instant = .now) {
        state.withLock { $0 = State(moved: now) }
    }

    func move(at now: SuspendingClock.Instant = .now) {
        state.withLock { if $0.moved != nil { $0.moved = now } }
    }

    /// Announces that the job at hand may write this many bytes in one call of the system.
    func expectToWrite(_ length: Int) {
        state.withLock { $0.timeToWrite += .milliseconds(length * 1_000 / WorkProgress.slowestWriting) }
    }

    func end() {
        state.withLock { $0 = State() }
    }

    /// How long the job at hand has made no progress, beyond the time that it has for what it writes; zero without a
    /// job.
    package func standstill(at now: SuspendingClock.Instant = .now) -> Duration {
        state.withLock { state in
            guard let moved = state.moved else { return .zero }
            return max(.zero, moved.duration(to: now) - state.timeToWrite)
        }
    }
}
