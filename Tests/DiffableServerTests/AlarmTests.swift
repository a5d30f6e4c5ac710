import NIOCore
import NIOPosix
import Testing

@testable import DiffableServer

struct AlarmTests {
    private final class Sleeper {
        var timesWoken = 0
    }

    @Test func `thousands who are to be woken at one time share one timer`() async throws {
        try await onLoop { loop in
            let alarms = Alarms<Sleeper>(on: loop) { $0.timesWoken += 1 }
            let sleepers = (0..<5_000).map { _ in Sleeper() }
            let time = Alarms<Sleeper>.time(.now() + .milliseconds(20))
            for sleeper in sleepers { alarms.set(time, for: sleeper) }
            #expect(alarms.count == 1)
            alarms.cancel(time, for: sleepers[7])
            return loop.assumeIsolated().scheduleTask(in: .milliseconds(60)) {
                #expect(alarms.count == 0)
                #expect(sleepers.filter { $0.timesWoken == 1 }.count == 4_999)
                #expect(sleepers[7].timesWoken == 0)
            }.futureResult
        }
    }

    @Test func `nobody who is gone leaves a timer`() async throws {
        try await onLoop { loop in
            let alarms = Alarms<Sleeper>(on: loop) { $0.timesWoken += 1 }
            let (one, other) = (Sleeper(), Sleeper())
            let time = Alarms<Sleeper>.time(.now() + .hours(1))
            alarms.set(time, for: one)
            alarms.set(time, for: other)
            alarms.set(time + 1, for: other)
            #expect(alarms.count == 2)
            alarms.cancel(time, for: one)
            #expect(alarms.count == 2)
            alarms.cancel(time, for: other)
            alarms.cancel(time + 1, for: other)
            #expect(alarms.count == 0)
            return loop.makeSucceededVoidFuture()
        }
    }

    @Test func `whoever is woken can be set again, and is never woken too early`() async throws {
        try await onLoop { loop in
            let deadline = NIODeadline.now() + .microseconds(20_500)
            let promise = loop.makePromise(of: Void.self)
            var alarms: Alarms<Sleeper>?
            alarms = Alarms<Sleeper>(on: loop) { sleeper in
                #expect(NIODeadline.now() >= deadline)
                sleeper.timesWoken += 1
                if sleeper.timesWoken == 3 { return promise.succeed() }
                alarms?.set(Alarms<Sleeper>.time(.now() + .milliseconds(5)), for: sleeper)
            }
            alarms?.set(Alarms<Sleeper>.time(deadline), for: Sleeper())
            return promise.futureResult
        }
    }

    private func onLoop(_ body: @escaping @Sendable (any EventLoop) -> EventLoopFuture<Void>) async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        try await loop.flatSubmit { body(loop) }.get()
    }
}
