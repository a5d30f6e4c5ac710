import DiffableClient

/// When a feed runs next: a value that is told what happened and when, and knows no clock.
package struct FeedSchedule: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// How often a source runs by itself.
    package enum Pace: Equatable, Sendable {
        /// Runs that end. Nil: only when something stirs.
        case runs(every: Duration?)
        /// One run that is not to end.
        case stream
    }

    private let pace: Pace
    /// Nil while it runs, and when only something that stirs lets it run.
    package private(set) var next: Instant?
    private var started: Instant?
    /// Whether something stirred while it ran.
    private var isStale = false
    /// In a row.
    package private(set) var failures = 0
    /// Before which nothing lets it run.
    private var earliest: Instant?

    package init(_ pace: Pace, at now: Instant) {
        self.pace = pace
        next = now
    }

    package var isRunning: Bool { started != nil }

    /// Whether it is time for a run.
    package func isDue(at now: Instant) -> Bool { next.map { $0 <= now } ?? false }

    package mutating func start(at now: Instant) {
        (started, next, isStale) = (now, nil, false)
    }

    /// Something changed that it depends on.
    package mutating func stir(at now: Instant) {
        guard started == nil else {
            isStale = true
            return
        }
        let due = max(now, earliest ?? now)
        next = min(next ?? due, due)
    }

    /// The run brought what it was to bring.
    package mutating func succeed(at now: Instant) {
        guard let start = started else { return }
        // What takes long may take a fifth of the time.
        let rested = now + (now - start) * Self.restPerRun
        (started, failures, earliest) = (nil, 0, rested)
        switch pace {
        case .runs(let every):
            next = isStale ? rested : every.map { max(start + $0, rested) }
        case .stream: next = now + Self.streamPauseMin
        }
    }

    /// The run failed, or a stream ended.
    package mutating func fail(at now: Instant) {
        guard let start = started else { return }
        if case .stream = pace, now - start >= Self.streamPauseMax { failures = 0 }
        failures += 1
        let rested = now + (now - start) * (pace == .stream ? 0 : Self.restPerRun)
        let due = max(now + pause, rested)
        (started, next) = (nil, due)
        // Whoever mends what is wrong need not wait for all of a long pause.
        earliest = max(min(due, now + Self.mendedPause), rested)
        if isStale, let earliest { next = min(due, earliest) }
    }

    /// After so many failures in a row.
    private var pause: Duration {
        switch pace {
        case .runs(let every):
            Backoff.doubled(every ?? Self.pauseMin, times: failures, upTo: Self.pauseMax)
        case .stream: Backoff.doubled(Self.streamPauseMin, times: failures - 1, upTo: Self.streamPauseMax)
        }
    }

    /// The pause after a run is at least so many times as long as the run.
    package static let restPerRun = 4
    /// Of what runs only when something stirs.
    package static let pauseMin = Duration.seconds(1)
    package static let pauseMax = Duration.seconds(300)
    package static let streamPauseMin = Duration.seconds(1)
    package static let streamPauseMax = Duration.seconds(60)
    /// At the soonest a run follows one that failed after this time, when something stirs.
    package static let mendedPause = Duration.seconds(10)
}
