/// Decides when to check a database. It is a value without a clock: its methods get the events and their times.
///
/// The kernel's event of a commit precedes the commit's visibility by at most a sync of the disk. So the database is checked
/// for some seconds after an event: every 0.5 ms at first, then after an eighth of the time since the event, and at last every
/// 50 ms. However long the sync takes, the commit is seen at most an eighth later. That costs some 150 checks of some 20 µs.
/// Then nothing happens until the next event.
package struct DatabaseWatch {
    typealias Instant = ContinuousClock.Instant

    /// Nil: only after an event.
    private(set) var next: Instant?
    private(set) var rest: Instant?
    /// When the rests of all reads so far would be over, one after the other.
    private var paid: Instant?
    /// The polling interval, if events are unreliable.
    private let every: Duration?
    private var lastEvent: Instant
    private var troubleSince: Instant?
    private var lastTrouble: String?
    private var slowStep = DatabaseWatch.slowStepMin

    static let stepMin = Duration.microseconds(500)
    static let stepMax = Duration.milliseconds(50)
    /// The divisor that gives the pause between checks from the time since the event.
    static let stepParts = 8
    /// The time for which the database is checked after an event. It exceeds the duration of a sync.
    package static let span = Duration.seconds(5)
    /// The time after which trouble counts as a failure: a write, or the replacement of a database, is shorter.
    static let troublePatience = Duration.seconds(1)
    /// The sum of rests that may be left out.
    static let freeRest = Duration.seconds(1) * FeedSchedule.restPerRun
    static let slowStepMin = Duration.seconds(1)
    static let slowStepMax = Duration.seconds(300)

    init(every: Duration?, at now: Instant) {
        self.every = every
        lastEvent = now
        next = now
    }

    mutating func noteEvent(at now: Instant) {
        (lastEvent, slowStep) = (now, Self.slowStepMin)
        next = now
    }

    mutating func noteUnchanged(at now: Instant) {
        (troubleSince, lastTrouble) = (nil, nil)
        scheduleNext(at: now)
    }

    /// - Parameters:
    ///   - isFinal: whether the read cannot have missed a commit.
    ///   - isFirst: whether all items were made. The next read makes only items that differ, so it need not wait as long.
    mutating func noteRead(isFinal: Bool, isFirst: Bool = false, from start: Instant, at now: Instant) {
        (troubleSince, lastTrouble) = (nil, nil)
        if !isFirst { addRest(from: start, at: now) }
        if !isFinal { lastEvent = now }
        scheduleNext(at: now)
    }

    /// Returns whether to report the trouble now. Each is reported once.
    mutating func noteTrouble(_ trouble: String, from start: Instant, at now: Instant) -> Bool {
        addRest(from: start, at: now)
        let since = troubleSince ?? start
        troubleSince = since
        scheduleNext(at: now)
        if next == nil || next == every.map({ now + $0 }) {
            // No event reports the end of a lock.
            next = min(next ?? now + slowStep, now + slowStep)
            slowStep = min(slowStep * 2, Self.slowStepMax)
        }
        guard now - since >= Self.troublePatience, trouble != lastTrouble else { return false }
        lastTrouble = trouble
        return true
    }

    /// In the long run, reading may use a fifth of the time. After a rest, a second of reading is free, so that a single commit
    /// need not wait, although a new log is read before it.
    private mutating func addRest(from start: Instant, at now: Instant) {
        let paid = max(paid ?? start, start) + (now - start) * (1 + FeedSchedule.restPerRun)
        (self.paid, rest) = (paid, paid - Self.freeRest)
    }

    private mutating func scheduleNext(at now: Instant) {
        guard now - lastEvent < Self.span else {
            next = every.map { now + $0 }
            return
        }
        next = now + min(max((now - lastEvent) / Self.stepParts, Self.stepMin), Self.stepMax)
    }
}
