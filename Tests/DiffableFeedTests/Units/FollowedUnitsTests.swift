import Synchronization
import Systemd
import TestSupport
import Testing

@testable import DiffableFeed

/// The known state of units after any sequence of news.
@Suite struct FollowedUnitsTests {
    private final class Follower: Sendable {
        let units: Mutex<FollowedUnits>

        init(_ settings: UnitSettings) { units = Mutex(FollowedUnits(settings)) }

        func receive(_ news: UnitEvent) -> [UnitQuery] { units.withLock { $0.receive(news) } }

        var known: [String: Unit]? { units.withLock(\.known) }
    }

    private let systemd = FakeSystemd()
    private let follower = Follower(UnitSettings())

    init() {
        let follower = follower
        _ = systemd.connect { follower.receive($0) }
    }

    @Test func `whatever happens, what is known is what there is in the end`() {
        for _ in 0..<200 {
            var random = SplitMix64()
            let systemd = FakeSystemd()
            var settings = UnitSettings()
            settings.types = [.service, .timer]
            let follower = Follower(settings)
            _ = systemd.connect { follower.receive($0) }
            var clock = 1_000
            let names = (0..<12).flatMap { ["a\($0).service", "a\($0).timer", "a\($0).mount"] }
            let active = ["active", "failed", "inactive", "activating"]
            // An idle unit's times are only asked at startup, so it begins idle without a time.
            for name in names where Bool.random(using: &random) {
                systemd.load(name, "active", since: clock)
            }
            systemd.tell(.subscribed)
            for _ in 0..<300 {
                clock += 1
                let name = names.randomElement(using: &random) ?? ""
                switch Int.random(in: 0..<20, using: &random) {
                case 0..<3 where systemd.units[name] == nil: systemd.load(name)
                case 3..<5 where systemd.units[name] != nil: systemd.unload(name)
                case 5..<11 where systemd.units[name] != nil:
                    systemd.change(name, active.randomElement(using: &random) ?? "", since: clock)
                case 11..<14: systemd.tellAll()
                case 14..<18: systemd.answer()
                case 18: systemd.tellAll([name])
                case 19 where Int.random(in: 0..<10, using: &random) == 0:
                    systemd.reload {
                        if Bool.random(using: &random), systemd.units[name] == nil { systemd.load(name) }
                    }
                default: break
                }
            }
            systemd.settle()
            let expected = systemd.units.filter { settings.has($0.key) }
            let known = follower.known
            #expect(known.map { Set($0.keys) } == Set(expected.keys), "seed \(random.seed)")
            for (name, unit) in expected {
                var found = known?[name]
                // The idle time of a newly loaded unit is not asked.
                if found?.state.active == "inactive", found?.state.since == nil {
                    found?.state.since = unit.state.since
                }
                #expect(found == unit, "seed \(random.seed)")
            }
        }
    }

    @Test func `nothing is known before all of the first list is`() {
        systemd.load("a.service", "active", since: 5)
        systemd.load("b.service", "inactive")
        #expect(follower.known == nil)
        systemd.tell(.subscribed)
        // The list, the files, and the time of one of two units.
        for _ in 0..<3 {
            systemd.answer()
            #expect(follower.known == nil)
        }
        systemd.answer()
        #expect(follower.known == systemd.units)
    }

    @Test func `a unit with a file stays when it is unloaded, and one without a file does not`() {
        systemd.load("a.service", "active", since: 5)
        systemd.load("b.service", "active", since: 5)
        systemd.put(files: [
            UnitFile(name: "a.service", state: "enabled"), UnitFile(name: "c.service", state: "disabled"),
            UnitFile(name: "d@.service", state: "static"), UnitFile(name: "e.service", state: "alias"),
            UnitFile(name: "m.timer", state: "masked"),
        ])
        systemd.tell(.subscribed)
        systemd.settle()
        #expect(follower.known.map { Set($0.keys) } == ["a.service", "b.service", "c.service", "m.timer"])
        #expect(follower.known?["a.service"]?.file == "enabled")
        let stopped = follower.known?["c.service"]
        #expect(stopped?.state == UnitState(active: "inactive", sub: "dead") && stopped?.actions == [.start])
        #expect(follower.known?["m.timer"]?.load == "masked" && follower.known?["m.timer"]?.actions == [])
        systemd.unload("a.service")
        systemd.unload("b.service")
        #expect(follower.known?["b.service"] == nil)
        let a = follower.known?["a.service"]
        #expect(a?.state.active == "inactive" && a?.description == "of a.service" && a?.actions == [.start])
        // It is started again.
        systemd.load("a.service", "active", since: 9)
        systemd.settle()
        #expect(follower.known?["a.service"]?.state.since == 9)
        // Files that are removed, disabled or new.
        systemd.put(files: [
            UnitFile(name: "c.service", state: "enabled"), UnitFile(name: "f.service", state: "static"),
        ])
        systemd.tell(.filesChanged)
        systemd.tell(.filesChanged)
        systemd.settle()
        #expect(follower.known.map { Set($0.keys) } == ["a.service", "c.service", "f.service"])
        #expect(follower.known?["c.service"]?.file == "enabled" && follower.known?["a.service"]?.file == nil)
    }

    @Test func `a file that systemd did not find before counts`() {
        systemd.tell(.subscribed)
        systemd.settle()
        var follower = follower.units.withLock(\.self)
        let unit = Unit(
            name: "a.service", description: "a.service", load: "not-found",
            state: UnitState(active: "inactive", sub: "dead"))
        _ = follower.receive(.loaded("a.service"))
        _ = follower.receive(.looked(at: ["a.service"], [unit]))
        #expect(follower.unit("a.service") == unit)
        _ = follower.receive(.files([UnitFile(name: "a.service", state: "disabled")]))
        #expect(follower.unit("a.service")?.load == "loaded")
    }

    @Test func `a unit that was just loaded and does nothing is not asked for its time, which would load it again`() {
        systemd.tell(.subscribed)
        systemd.settle()
        for _ in 0..<10 {
            systemd.load("a.service")
            systemd.tellAll()
            // The unit is unloaded before the answer.
            systemd.unload("a.service")
            systemd.settle()
            #expect(systemd.units.isEmpty && follower.known?.isEmpty == true)
        }
        systemd.load("a.service")
        systemd.settle()
        #expect(follower.known?["a.service"]?.state == UnitState(active: "inactive", sub: "inactive"))
        #expect(!systemd.hasQuestions)
    }

    @Test func `many that are loaded at once are asked for in one list`() {
        systemd.tell(.subscribed)
        systemd.settle()
        var follower = follower.units.withLock(\.self)
        #expect(follower.receive(.loaded("a.service")) == [.look(["a.service"])])
        for number in 0...FollowedUnits.looksMax {
            #expect(follower.receive(.loaded("b\(number).service")).isEmpty)
        }
        #expect(follower.receive(.looked(at: ["a.service"], [])) == [.list(["*"])])
    }

    @Test func `while systemd reads its files nothing is shown to be gone`() {
        systemd.load("a.service", "active", since: 5)
        systemd.load("b.service", "active", since: 6)
        systemd.tell(.subscribed)
        systemd.settle()
        let before = follower.known
        #expect(before?.count == 2)
        systemd.reload {
            #expect(follower.known == nil)
        }
        systemd.answer()
        #expect(follower.known == before)
        systemd.settle()
        #expect(follower.known == before)
    }

    @Test func `another service manager in its place is asked anew`() {
        systemd.load("a.service", "active", since: 5)
        systemd.tell(.subscribed)
        systemd.settle()
        systemd.change("a.service", "active", since: 9)
        systemd.tell(.subscribed)
        #expect(follower.known == nil)
        systemd.settle()
        #expect(follower.known == systemd.units)
    }

    @Test func `types and patterns say which units are meant`() {
        var settings = UnitSettings()
        #expect(settings.has("a.service") && settings.has("a.device") && settings.patterns == ["*"])
        settings.types = [.service, .timer]
        #expect(settings.has("a.b.service") && !settings.has("a.socket") && !settings.has("service"))
        #expect(settings.patterns == ["*.service", "*.timer"])
        settings.match = ["ssh*", "*-\\x2d.timer"]
        #expect(settings.has("sshd.service") && !settings.has("ssh.socket") && !settings.has("cron.service"))
        #expect(settings.has("a-\\x2d.timer"))
    }
}
