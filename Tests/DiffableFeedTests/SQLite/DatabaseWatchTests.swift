import Testing

@testable import DiffableFeed

/// The times at which a database is polled, without a clock.
@Suite struct DatabaseWatchTests {
    private let start = ContinuousClock.now

    /// Returns the pauses between polls, until no more are planned.
    private func pauses(_ watch: inout DatabaseWatch, from start: ContinuousClock.Instant) -> [Duration] {
        var pauses: [Duration] = []
        var now = start
        while let next = watch.next, pauses.count < 1_000 {
            pauses.append(next - now)
            now = next
            watch.noteUnchanged(at: now)
        }
        return pauses
    }

    @Test func `after an event it is looked at more and more seldom, and then not at all`() {
        var watch = DatabaseWatch(every: nil, at: start)
        watch.noteUnchanged(at: start)
        let pauses = pauses(&watch, from: start)
        #expect(pauses.prefix(9).allSatisfy { $0 == .microseconds(500) })
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(pauses.last == DatabaseWatch.stepMax)
        // However late a commit is noticed, the next poll is soon enough, and there are few polls.
        var time = Duration.zero
        for pause in pauses {
            #expect(pause <= max(.microseconds(500), time / 8))
            time += pause
        }
        #expect(pauses.count < 160)
        let sum = pauses.reduce(Duration.zero, +)
        #expect(sum >= DatabaseWatch.span && sum < DatabaseWatch.span + .milliseconds(100))
        #expect(watch.next == nil)
    }

    @Test func `another event begins anew`() {
        var watch = DatabaseWatch(every: nil, at: start)
        watch.noteUnchanged(at: start + .seconds(60))
        #expect(watch.next == nil)
        watch.noteEvent(at: start + .seconds(70))
        #expect(watch.next == start + .seconds(70))
    }

    @Test(arguments: [Duration.milliseconds(30), .milliseconds(500), .seconds(5)])
    func `reading may use a second at once, and in the long run a fifth of the time`(length: Duration) {
        var watch = DatabaseWatch(every: nil, at: start)
        var (now, busy) = (start, Duration.zero)
        while now < start + .seconds(300) {
            watch.noteRead(isFinal: true, from: now, at: now + length)
            (now, busy) = (now + length, busy + length)
            #expect(busy <= (now - start) / 5 + .seconds(1) + length)
            if busy < .seconds(1) { #expect(watch.rest.map { $0 <= now } ?? true) }
            now = max(now, watch.rest ?? now)
        }
        #expect(busy >= .seconds(58))
        // The credit accumulates again.
        now += .seconds(60)
        watch.noteRead(isFinal: true, from: now, at: now + .milliseconds(500))
        #expect(watch.rest.map { $0 <= now + .milliseconds(500) } ?? true)
    }

    @Test func `the first reading, which makes all items, needs no rest`() {
        var watch = DatabaseWatch(every: nil, at: start)
        watch.noteRead(isFinal: true, isFirst: true, from: start, at: start + .seconds(4))
        #expect(watch.rest == nil)
        watch.noteEvent(at: start + .seconds(5))
        #expect(watch.next == start + .seconds(5))
    }

    @Test func `trouble is told when it lasts, and once`() {
        var watch = DatabaseWatch(every: nil, at: start)
        let told = [("locked", 0), ("locked", 900), ("locked", 1_100), ("locked", 1_200), ("gone", 1_300)].map {
            watch.noteTrouble($0, from: start + .milliseconds($1), at: start + .milliseconds($1))
        }
        #expect(told == [false, false, true, false, true])
    }

    @Test func `a query that was stopped after a long time is told at once`() {
        var watch = DatabaseWatch(every: nil, at: start)
        let isTold = watch.noteTrouble("ran longer than 60 s", from: start, at: start + .seconds(60))
        #expect(isTold)
        #expect(watch.next == start + .seconds(61))
    }

    @Test func `what is locked for long is looked at without an event, more and more seldom`() {
        var watch = DatabaseWatch(every: nil, at: start)
        var now = start + .seconds(10)
        var pauses: [Duration] = []
        for _ in 0..<12 {
            _ = watch.noteTrouble("locked", from: now, at: now)
            pauses.append((watch.next ?? now) - now)
            now = watch.next ?? now
        }
        #expect(pauses.prefix(3) == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(pauses.last == .seconds(300))
    }

    @Test func `one that is looked at from time to time is looked at so long`() {
        var watch = DatabaseWatch(every: .seconds(30), at: start)
        watch.noteUnchanged(at: start + .seconds(10))
        #expect(watch.next == start + .seconds(40))
    }
}
