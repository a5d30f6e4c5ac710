import SharedLog
import Testing

@Suite struct HostPresenceTests {
    private let start = ContinuousClock.now
    private func after(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func whoComesBackInTimeWasNeverGone() {
        var presence = HostPresence(patience: .seconds(5))
        #expect(presence.hosts(["a", "b"], at: start) == nil)
        #expect(presence.hosts(["a", "b"], at: after(4)) == nil, "c may start again at this moment")
        #expect(presence.hosts(["a"], at: after(5)) == ["a", "b"])
        #expect(presence.hosts(["a", "b"], at: after(7)) == ["a", "b"])
        #expect(presence.hosts(["a"], at: after(12)) == ["a", "b"])
        #expect(presence.hosts(["a"], at: after(13)) == ["a"])
        #expect(presence.hosts(["a", "b"], at: after(14)) == ["a", "b"])
    }

    @Test func whoeverWasAwayWithTheEngineHasTimeToComeBack() {
        var presence = HostPresence(patience: .seconds(5))
        _ = presence.hosts(["a", "b"], at: start)
        #expect(presence.hosts(["a", "b"], at: after(6)) == ["a", "b"])
        presence.forget()
        #expect(presence.hosts([], at: after(60)) == nil)
        #expect(presence.hosts(["a"], at: after(64)) == nil)
        #expect(presence.hosts(["a"], at: after(65)) == ["a"])
    }
}
