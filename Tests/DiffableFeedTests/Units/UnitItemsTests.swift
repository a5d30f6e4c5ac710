import Diffable
import DiffableInput
import Systemd
import Testing

@testable import DiffableFeed

@Suite struct UnitItemsTests {
    private func unit(
        _ name: String, _ active: String, _ sub: String, since: Int? = nil, load: String = "loaded"
    ) -> Unit {
        Unit(
            name: name, description: "of \(name)", load: load,
            state: UnitState(active: active, sub: sub, since: since))
    }

    private func list(_ units: [Unit], _ types: [UnitType] = []) -> WholeList {
        var settings = UnitSettings()
        settings.types = types
        var items = UnitItems(settings)
        return items.list(of: Dictionary(units.map { ($0.name, $0) }) { $1 })
    }

    private func content(_ unit: Unit) -> String {
        list([unit]).sections.first?.items.first?.content?.description ?? "none"
    }

    @Test func `an item says what its unit does, and what can be done with it`() {
        #expect(
            content(unit("a.service", "active", "running", since: 5)) == """
                {"text":"a.service","description":"of a.service","state":"active","sub":"running",\
                "since":5,"actions":[\
                {"id":"stop","title":"Stop","multiple":true,"confirm":true},\
                {"id":"restart","title":"Restart","multiple":true}]}
                """)
        #expect(
            content(unit("a.service", "failed", "failed")) == """
                {"text":"a.service","description":"of a.service","state":"failed","sub":"failed",\
                "tint":"red","actions":[\
                {"id":"start","title":"Start","multiple":true}]}
                """)
        #expect(
            content(unit("a.timer", "inactive", "dead", load: "masked")) == """
                {"text":"a.timer","description":"of a.timer","state":"inactive","sub":"dead",\
                "load":"masked","actions":[]}
                """)
    }

    @Test func `a unit that was never loaded has the state of its file, and can be started`() {
        var unit = unit("a.service", "inactive", "dead")
        (unit.description, unit.file) = ("", "disabled")
        #expect(
            content(unit) == """
                {"text":"a.service","state":"inactive","sub":"dead","unitFile":"disabled",\
                "actions":[{"id":"start","title":"Start","multiple":true}]}
                """)
    }

    @Test func `actions are those that make sense`() {
        #expect(unit("a.service", "inactive", "dead").actions == [.start])
        #expect(unit("a.service", "activating", "start").actions == [.stop, .restart])
        #expect(unit("a.scope", "active", "running").actions == [.stop])
        #expect(unit("a.device", "active", "plugged").actions == [])
        #expect(unit("a.service", "active", "running", load: "not-found").actions == [.stop])
    }

    @Test func `several types are sections in the order of the file, and names have theirs`() {
        let units = [
            unit("b.service", "active", "running"), unit("a.timer", "active", "waiting"),
            unit("a.service", "active", "running"), unit("gone.service", "inactive", "dead", load: "not-found"),
        ]
        let two = list(units, [.timer, .socket, .service])
        #expect(two.sections.map(\.id) == ["timer", "service"])
        #expect(two.sections[1].items.map(\.id) == ["a.service", "b.service"])
        #expect(two.sections[0].content?.description == #"{"header":"Timers"}"#)
        let one = list(Array(units.filter { $0.type == "service" }), [.service])
        #expect(one.sections.map(\.id) == ["main"])
    }
}
