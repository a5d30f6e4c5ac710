/// When a database is looked at: a value that is told what happened and when, and knows no clock.
///
/// The kernel's event of a commit comes before SQLite lets others see it, by a sync of a disk at most. So for some seconds after
/// an event the database is looked at again: every 0.5 ms at first, then after an eighth of the time since the event, and every
/// 50 ms at last. However long the sync takes, the commit is seen an eighth of that later at most, for some 150 looks in all, of
/// some 20 µs. Then nothing is done until the next event.
package struct DatabaseWatch {
    typealias Instant = ContinuousClock.Instant

    /// Nil: only after an event.
    private(set) var next: Instant?
    /// Before which nothing is to be read.
    private(set) var rest: Instant?
    /// Of those who cannot rely on events.
    private let every: Duration?
    private var lastEvent: Instant
    private var troubleSince: Instant?
    private var lastTrouble: String?
    private var slowStep = DatabaseWatch.slowStepMin

    static let stepMin = Duration.microseconds(500)
    static let stepMax = Duration.milliseconds(50)
    /// A pause is one of so many parts of the time since the event.
    static let stepParts = 8
    /// For which an event counts: longer than a sync takes.
    package static let span = Duration.seconds(5)
    /// What lasts shorter is no failure: somebody writes, or one database takes the place of another.
    static let troublePatience = Duration.seconds(1)
    static let slowStepMin = Duration.seconds(1)
    static let slowStepMax = Duration.seconds(300)

    init(every: Duration?, at now: Instant) {
        self.every = every
        lastEvent = now
        next = now
    }

    mutating func stir(at now: Instant) {
        (lastEvent, slowStep) = (now, Self.slowStepMin)
        next = now
    }

    mutating func sawNothing(at now: Instant) {
        (troubleSince, lastTrouble) = (nil, nil)
        plan(at: now)
    }

    /// - Parameter isFinal: whether there may be nothing newer.
    mutating func read(isFinal: Bool, from start: Instant, at now: Instant) {
        (troubleSince, lastTrouble) = (nil, nil)
        rest = now + (now - start) * FeedSchedule.restPerRun
        if !isFinal { lastEvent = now }
        plan(at: now)
    }

    /// - Returns: whether it is time to tell of it, once.
    mutating func sawTrouble(_ trouble: String, at now: Instant) -> Bool {
        let since = troubleSince ?? now
        troubleSince = since
        plan(at: now)
        if next == nil || next == every.map({ now + $0 }) {
            // Who has locked it tells nobody when it is unlocked.
            next = min(next ?? now + slowStep, now + slowStep)
            slowStep = min(slowStep * 2, Self.slowStepMax)
        }
        guard now - since >= Self.troublePatience, trouble != lastTrouble else { return false }
        lastTrouble = trouble
        return true
    }

    private mutating func plan(at now: Instant) {
        guard now - lastEvent < Self.span else {
            next = every.map { now + $0 }
            return
        }
        next = now + min(max((now - lastEvent) / Self.stepParts, Self.stepMin), Self.stepMax)
    }
}
