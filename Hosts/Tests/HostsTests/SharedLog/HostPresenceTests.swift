import SharedLog
import Testing

@Suite struct HostPresenceTests {
    private let start = ContinuousClock.now
    private func after(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }
    private var presence = HostPresence(patience: .seconds(5), looksForOneRead: 3)

    private mutating func reading(_ hosts: [String]) throws -> HostPresence.Reading {
        let number = presence.beginLook()
        return HostPresence.Reading(number: try #require(number), found: hosts)
    }

    /// Polls, and finds these hosts.
    private mutating func finds(_ hosts: [String], at time: ContinuousClock.Instant) throws -> [String]? {
        presence.hear()
        return presence.hosts(try reading(hosts), at: time)
    }

    @Test mutating func `who comes back in time was never gone`() throws {
        #expect(try finds(["a", "b"], at: start) == nil)
        #expect(try finds(["a", "b"], at: after(4)) == nil, "c may start again at this moment")
        #expect(try finds(["a"], at: after(5)) == ["a", "b"])
        #expect(try finds(["a", "b"], at: after(7)) == ["a", "b"])
        #expect(try finds(["a"], at: after(12)) == ["a", "b"])
        #expect(try finds(["a"], at: after(13)) == ["a"])
        #expect(try finds(["a", "b"], at: after(14)) == ["a", "b"])
    }

    @Test mutating func `whoever was away with the engine has time to come back`() throws {
        _ = try finds(["a", "b"], at: start)
        #expect(try finds(["a", "b"], at: after(6)) == ["a", "b"])
        presence.forget()
        #expect(try finds([], at: after(60)) == nil)
        #expect(try finds(["a"], at: after(64)) == nil)
        #expect(try finds(["a"], at: after(65)) == ["a"])
    }

    @Test mutating func `are read when one was heard of, and with every third look`() throws {
        #expect(try finds(["a"], at: start) == nil)
        #expect(presence.beginLook() == nil)
        #expect(presence.hosts(nil, at: after(6)) == ["a"], "as they were")
        #expect(presence.beginLook() == nil)
        #expect(presence.beginLook() != nil)
        #expect(presence.beginLook() == nil)
        presence.hear()
        #expect(presence.beginLook() != nil)
    }

    @Test mutating func `are not known before they were read, whatever a look beside it does`() throws {
        let earlier = try reading(["a"])
        #expect(presence.beginLook() == nil)
        for second in [0, 6] { #expect(presence.hosts(nil, at: after(second)) == nil) }
        presence.hear()
        let later = try reading(["a", "b"])
        #expect(presence.hosts(later, at: after(7)) == nil)
        #expect(presence.hosts(earlier, at: after(13)) == ["a", "b"], "it began before the other")
    }
}
