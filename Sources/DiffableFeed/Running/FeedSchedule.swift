import DiffableClient

/// Decides when a feed runs next. It is a value without a clock: its methods get the events and their times.
package struct FeedSchedule: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package enum RunMode: Equatable, Sendable {
        /// Runs that end, and their interval. If it is nil, only a change of a watched path starts a run.
        case runs(every: Duration?)
        case stream
    }

    private let runMode: RunMode
    /// Nil during a run, and if only a change starts the next one.
    package private(set) var next: Instant?
    private var started: Instant?
    private var isStale = false
    package private(set) var failures = 0
    /// The earliest time of the next run, even after a change.
    private var earliest: Instant?

    package init(_ runMode: RunMode, at now: Instant) {
        self.runMode = runMode
        next = now
    }

    package var isRunning: Bool { started != nil }

    package func isDue(at now: Instant) -> Bool { next.map { $0 <= now } ?? false }

    package mutating func start(at now: Instant) {
        (started, next, isStale) = (now, nil, false)
    }

    package mutating func noteChange(at now: Instant) {
        guard started == nil else {
            isStale = true
            return
        }
        let due = max(now, earliest ?? now)
        next = min(next ?? due, due)
    }

    /// Makes the next run due now, regardless of the rest and the pause. A further failure counts as the first one.
    package mutating func demand(at now: Instant) { (next, earliest, failures) = (now, nil, 0) }

    /// Records that the run was ended to make way for another one.
    package mutating func interrupt(at now: Instant) { (started, next, earliest) = (nil, now, nil) }

    package mutating func succeed(at now: Instant) {
        guard let start = started else { return }
        // A slow run may use at most a fifth of the time.
        let rested = now + (now - start) * Self.restPerRun
        (started, failures, earliest) = (nil, 0, rested)
        switch runMode {
        case .runs(let every):
            next = isStale ? rested : every.map { max(start + $0, rested) }
        case .stream: next = now + Self.streamPauseMin
        }
    }

    package mutating func fail(at now: Instant) {
        guard let start = started else { return }
        if case .stream = runMode, now - start >= Self.streamPauseMax { failures = 0 }
        failures += 1
        let rested = now + (now - start) * (runMode == .stream ? 0 : Self.restPerRun)
        let due = max(now + pause, rested)
        (started, next) = (nil, due)
        // A user who fixes the problem need not wait for the end of a long pause.
        earliest = max(min(due, now + Self.mendedPause), rested)
        if isStale, let earliest { next = min(due, earliest) }
    }

    private var pause: Duration {
        switch runMode {
        case .runs(let every):
            Backoff.doubled(every ?? Self.pauseMin, times: failures, upTo: Self.pauseMax)
        case .stream: Backoff.doubled(Self.streamPauseMin, times: failures - 1, upTo: Self.streamPauseMax)
        }
    }

    /// The minimal pause after a run, as a multiple of the run's duration.
    package static let restPerRun = 4
    /// The first pause after a failure of a source without an interval.
    package static let pauseMin = Duration.seconds(1)
    package static let pauseMax = Duration.seconds(300)
    package static let streamPauseMin = Duration.seconds(1)
    package static let streamPauseMax = Duration.seconds(60)
    /// The minimal time between a failed run and a run that a change starts.
    package static let mendedPause = Duration.seconds(10)
}
