import Synchronization

/// Measures how long a queue's current job has made no progress, which distinguishes a queue that hangs from one that is slow.
///
/// The queue reports when a job begins and ends, and progress within a long one. A watchdog reads it from any thread.
/// Time inside a single system call, such as a sync, is not visible. So a job with much to write announces the length
/// first, and gets the time that a slow disk needs before it counts as hanging.
package final class WorkProgress: Sendable {
    private struct State {
        /// When the current job last made progress. Nil without a job.
        var moved: SuspendingClock.Instant?
        var timeToWrite = Duration.zero
    }

    private let state = Mutex(State())

    /// In bytes per second: a tenth of the rate of a rotating disk with scattered pages.
    static let slowestWriting = 64 << 10

    package init() {}

    // The clock of systemd's watchdog (CLOCK_MONOTONIC), which pauses while the machine sleeps.

    func begin(at now: SuspendingClock.Instant = .now) {
        state.withLock { $0 = State(moved: now) }
    }

    func noteProgress(at now: SuspendingClock.Instant = .now) {
        state.withLock { if $0.moved != nil { $0.moved = now } }
    }

    /// Announces that the current job may write this number of bytes in one system call.
    func expectToWrite(_ length: Int) {
        state.withLock { $0.timeToWrite += .milliseconds(length * 1_000 / WorkProgress.slowestWriting) }
    }

    func end() {
        state.withLock { $0 = State() }
    }

    /// How long the current job has made no progress, beyond the time allowed for its writes. Zero without a job.
    package func standstill(at now: SuspendingClock.Instant = .now) -> Duration {
        state.withLock { state in
            guard let moved = state.moved else { return .zero }
            return max(.zero, moved.duration(to: now) - state.timeToWrite)
        }
    }
}
