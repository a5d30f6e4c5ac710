import NIOCore
import NIOPosix
import Testing

@testable import DiffableServer

struct DeadlineTimerTests {
    private final class Sleeper {
        var timesWoken = 0
    }

    @Test func `thousands who are to be woken at one time share one timer`() async throws {
        try await onLoop { loop in
            let timers = DeadlineTimers<Sleeper>(on: loop) { $0.timesWoken += 1 }
            let sleepers = (0..<5_000).map { _ in Sleeper() }
            let time = DeadlineTimers<Sleeper>.time(.now() + .milliseconds(20))
            for sleeper in sleepers { timers.set(time, for: sleeper) }
            #expect(timers.count == 1)
            timers.cancel(time, for: sleepers[7])
            return loop.assumeIsolated().scheduleTask(in: .milliseconds(60)) {
                #expect(timers.count == 0)
                #expect(sleepers.filter { $0.timesWoken == 1 }.count == 4_999)
                #expect(sleepers[7].timesWoken == 0)
            }.futureResult
        }
    }

    @Test func `nobody who is gone leaves a timer`() async throws {
        try await onLoop { loop in
            let timers = DeadlineTimers<Sleeper>(on: loop) { $0.timesWoken += 1 }
            let (one, other) = (Sleeper(), Sleeper())
            let time = DeadlineTimers<Sleeper>.time(.now() + .hours(1))
            timers.set(time, for: one)
            timers.set(time, for: other)
            timers.set(time + 1, for: other)
            #expect(timers.count == 2)
            timers.cancel(time, for: one)
            #expect(timers.count == 2)
            timers.cancel(time, for: other)
            timers.cancel(time + 1, for: other)
            #expect(timers.count == 0)
            return loop.makeSucceededVoidFuture()
        }
    }

    @Test func `times at which nobody sleeps do not pile up, and wake nobody`() async throws {
        try await onLoop { loop in
            let timers = DeadlineTimers<Sleeper>(on: loop) { $0.timesWoken += 1 }
            let (early, late, kept) = (Sleeper(), Sleeper(), Sleeper())
            let now = DeadlineTimers<Sleeper>.time(.now())
            timers.set(now + 3_600_000, for: kept)
            for time in 1...10_000 {
                timers.set(now + 10_000 + UInt64(time), for: late)
                timers.cancel(now + 10_000 + UInt64(time), for: late)
            }
            #expect(timers.count == 1)
            #expect(timers.timesCount <= 67)
            // The loop's timer is set for a removed entry; an earlier deadline must not be late because of it.
            timers.set(now + 5, for: late)
            timers.set(now + 20, for: early)
            timers.cancel(now + 5, for: late)
            // A late loop runs the first alarm and this one in one iteration, and the second alarm in the next.
            let promise = loop.makePromise(of: Void.self)
            loop.assumeIsolated().scheduleTask(in: .milliseconds(60)) {
                loop.assumeIsolated().scheduleTask(in: .milliseconds(1)) {
                    #expect([early.timesWoken, late.timesWoken, kept.timesWoken] == [1, 0, 0])
                    #expect(timers.count == 1)
                    timers.cancel(now + 3_600_000, for: kept)
                    promise.succeed()
                }
            }
            return promise.futureResult
        }
    }

    @Test func `whoever is woken can be set again, and is never woken too early`() async throws {
        try await onLoop { loop in
            let deadline = NIODeadline.now() + .microseconds(20_500)
            let promise = loop.makePromise(of: Void.self)
            var timers: DeadlineTimers<Sleeper>?
            timers = DeadlineTimers<Sleeper>(on: loop) { sleeper in
                #expect(NIODeadline.now() >= deadline)
                sleeper.timesWoken += 1
                if sleeper.timesWoken == 3 { return promise.succeed() }
                timers?.set(DeadlineTimers<Sleeper>.time(.now() + .milliseconds(5)), for: sleeper)
            }
            timers?.set(DeadlineTimers<Sleeper>.time(deadline), for: Sleeper())
            return promise.futureResult
        }
    }

    private func onLoop(_ body: @escaping @Sendable (any EventLoop) -> EventLoopFuture<Void>) async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        try await loop.flatSubmit { body(loop) }.get()
    }
}
