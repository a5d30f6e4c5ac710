import DiffableFeed
import Testing

/// The times at which a feed runs, without a clock.
@Suite struct FeedScheduleTests {
    private let start = ContinuousClock.now

    private func schedule(_ runMode: FeedSchedule.RunMode) -> FeedSchedule { FeedSchedule(runMode, at: start) }

    /// Returns the pauses between runs that fail after `length`.
    private func pauses(_ runMode: FeedSchedule.RunMode, _ count: Int, lasting length: Duration = .zero) -> [Duration] {
        var schedule = schedule(runMode)
        var now = start
        return (0..<count).map { _ in
            schedule.start(at: now)
            now += length
            schedule.fail(at: now)
            defer { now = schedule.next ?? now }
            return (schedule.next ?? now) - now
        }
    }

    @Test func `it runs at once, and then every time that it is to`() {
        var schedule = schedule(.runs(every: .seconds(10)))
        #expect(schedule.isDue(at: start))
        schedule.start(at: start)
        #expect(schedule.next == nil && !schedule.isDue(at: start + .seconds(60)))
        schedule.succeed(at: start + .seconds(1))
        #expect(schedule.next == start + .seconds(10))
    }

    @Test func `the pause after a run is at least four times as long as the run`() {
        var schedule = schedule(.runs(every: .seconds(2)))
        schedule.start(at: start)
        schedule.succeed(at: start + .seconds(3))
        #expect(schedule.next == start + .seconds(3 + 12))
        schedule.noteChange(at: start + .seconds(4))
        #expect(schedule.next == start + .seconds(15))
    }

    @Test func `what stirs while it runs lets it run again, after its rest`() {
        var schedule = schedule(.runs(every: nil))
        schedule.start(at: start)
        schedule.noteChange(at: start + .milliseconds(5))
        schedule.succeed(at: start + .milliseconds(10))
        #expect(schedule.next == start + .milliseconds(50))
        schedule.start(at: start + .milliseconds(50))
        schedule.succeed(at: start + .milliseconds(60))
        #expect(schedule.next == nil)
        schedule.noteChange(at: start + .seconds(5))
        #expect(schedule.isDue(at: start + .seconds(5)))
    }

    @Test func `failures are twice as far apart each time, up to five minutes`() {
        #expect(
            pauses(.runs(every: .seconds(20)), 5)
                == [.seconds(40), .seconds(80), .seconds(160), .seconds(300), .seconds(300)])
        #expect(pauses(.runs(every: nil), 3) == [.seconds(2), .seconds(4), .seconds(8)])
        #expect(pauses(.runs(every: .seconds(3600)), 40).allSatisfy { $0 == .seconds(300) })
        #expect(pauses(.runs(every: .milliseconds(100)), 80).last == .seconds(300))
    }

    @Test func `a success ends the series`() {
        var schedule = schedule(.runs(every: .seconds(1)))
        schedule.start(at: start)
        schedule.fail(at: start)
        schedule.start(at: start + .seconds(2))
        schedule.succeed(at: start + .seconds(2))
        #expect(schedule.failures == 0 && schedule.next == start + .seconds(3))
    }

    @Test func `streams start again after a second, and after a minute at last`() {
        #expect(
            pauses(.stream, 8)
                == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        // A stream that has run for a while begins again with the shortest pause.
        #expect(pauses(.stream, 3, lasting: .seconds(61)) == [.seconds(1), .seconds(1), .seconds(1)])
    }

    @Test func `what stirs after a failure brings the next run forward, but not to now`() {
        var schedule = schedule(.runs(every: .seconds(100)))
        schedule.start(at: start)
        schedule.fail(at: start)
        schedule.noteChange(at: start + .seconds(1))
        #expect(schedule.next == start + FeedSchedule.mendedPause)
        schedule.noteChange(at: start + .seconds(50))
        #expect(schedule.next == start + FeedSchedule.mendedPause)
    }
}
