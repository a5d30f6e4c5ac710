import DiffableFeed
import Synchronization
import Systemd

/// A service manager that orders and delays its signals and answers as systemd does.
final class FakeSystemd: UnitConnection {
    private struct State {
        var units: [String: Unit] = [:]
        var files: [UnitFile] = []
        /// Unreported changes: the unit's name, and whether it is new.
        var untold: [String: Bool] = [:]
        /// The questions not yet answered.
        var questions: [UnitQuery] = []
        var outcomes: [String: Result<String, UnitFailure>] = [:]
        var performed: [String] = []
        var listener: UnitListener?
        var isClosed = false
    }

    private let state = Mutex(State())

    func connect(_ listener: @escaping UnitListener) -> FakeSystemd {
        state.withLock { ($0.listener, $0.isClosed, $0.questions) = (listener, false, []) }
        return self
    }

    func close() { state.withLock { $0.isClosed = true } }

    var isClosed: Bool { state.withLock(\.isClosed) }
    var units: [String: Unit] { state.withLock(\.units) }
    var performed: [String] { state.withLock(\.performed) }
    var hasQuestions: Bool { state.withLock { !$0.questions.isEmpty } }
    var hasListener: Bool { state.withLock { $0.listener != nil } }

    // MARK: - Events

    func load(_ name: String, _ active: String = "inactive", since: Int? = nil) {
        state.withLock { state in
            let unit = Unit(
                name: name, description: "of \(name)", load: "loaded",
                state: UnitState(active: active, sub: active, since: since))
            (state.units[name], state.untold[name]) = (unit, true)
        }
    }

    func change(_ name: String, _ active: String, since: Int) {
        state.withLock { state in
            state.units[name]?.state = UnitState(active: active, sub: active, since: since)
            // A new unit is only reported as new.
            state.untold[name] = state.untold[name] ?? false
        }
    }

    /// Unloads a unit, after reporting its pending changes.
    func unload(_ name: String) {
        tellAll([name])
        state.withLock { $0.units[name] = nil }
        tell(.unloaded(name))
    }

    func reload(_ body: () -> Void) {
        tell(.reloading)
        for name in units.keys { tell(.unloaded(name)) }
        body()
        state.withLock { state in
            for name in state.units.keys { state.untold[name] = true }
        }
        tell(.reloaded)
    }

    /// Replaces the unit files, without a report.
    func put(files: [UnitFile]) { state.withLock { $0.files = files } }

    func fail(_ action: UnitAction, on unit: String, _ outcome: Result<String, UnitFailure>) {
        state.withLock { $0.outcomes["\(action) \(unit)"] = outcome }
    }

    // MARK: - Reports

    func tell(_ news: UnitEvent) {
        let questions = state.withLock { $0.isClosed ? nil : $0.listener }?(news) ?? []
        state.withLock { $0.questions += questions }
    }

    func tellAll(_ only: [String]? = nil) {
        let names = state.withLock { state in state.untold.keys.filter { only?.contains($0) ?? true } }
        for name in names {
            guard let isNew = state.withLock({ $0.untold.removeValue(forKey: name) }), let unit = units[name] else {
                continue
            }
            tell(isNew ? .loaded(name) : .changed(name, unit.state))
        }
    }

    /// Answers the first open question.
    func answer() {
        guard let question = state.withLock({ $0.questions.isEmpty ? nil : $0.questions.removeFirst() }) else { return }
        func withoutTimes(_ isAskedFor: (String) -> Bool) -> [Unit] {
            units.values.filter { isAskedFor($0.name) }.map { unit in
                var unit = unit
                unit.state.since = nil
                return unit
            }
        }
        switch question {
        case .list: tell(.listed(withoutTimes { _ in true }))
        case .files: tell(.files(state.withLock(\.files)))
        case .look(let names): tell(.looked(at: names, withoutTimes(names.contains)))
        case .since(let name):
            if units[name] == nil { load(name) }
            tell(.since(name, units[name]?.state.since))
        }
    }

    func settle() {
        while true {
            tellAll()
            guard hasQuestions else { return }
            answer()
        }
    }

    func perform(_ action: UnitAction, on unit: String) async throws(UnitFailure) -> String {
        let outcome = state.withLock { state in
            state.performed.append("\(action) \(unit)")
            return state.outcomes["\(action) \(unit)"]
        }
        return try (outcome ?? .success("done")).get()
    }
}
