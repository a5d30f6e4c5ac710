import DiffableClient
import Glibc
import Systemd

/// What came of an action with several units, in words for whoever asked.
struct UnitOutcomes {
    private let action: UnitAction
    private let bus: UnitBus.Scope
    private let outcomes: [(unit: String, outcome: Result<String, UnitFailure>)]

    init(
        _ action: UnitAction, on bus: UnitBus.Scope, _ outcomes: some Sequence<(String, Result<String, UnitFailure>)>
    ) {
        self.action = action
        self.bus = bus
        self.outcomes = outcomes.map { (unit: $0, outcome: $1) }
    }

    /// How each unit's job ended.
    ///
    /// - Throws: `RequestRefusal` when nothing was done at all, and `RequestFailure` when something may have been.
    func results() throws -> [(unit: String, result: String)] {
        var results: [(unit: String, result: String)] = []
        var problems: [String] = []
        var isRefused = true
        for (unit, outcome) in outcomes {
            switch outcome {
            // `skipped`: there was nothing to do, or a condition of the unit is not met.
            case .success(let result) where ["done", "skipped"].contains(result): results.append((unit, result))
            case .success(let result):
                isRefused = false
                problems.append("\(unit) \(words(forJob: result))")
            case .failure(let failure):
                if case .unanswered = failure { isRefused = false }
                problems.append("\(unit): \(words(for: failure))")
            }
        }
        if problems.isEmpty { return results }
        if isRefused, results.isEmpty { throw RequestRefusal(problems.joined(separator: "; ")) }
        let rest = results.isEmpty ? "" : "; with \(results.map(\.unit).joined(separator: ", ")) it was done"
        throw RequestFailure(problems.joined(separator: "; ") + rest)
    }

    private func words(forJob result: String) -> String {
        let command = "systemctl \(bus == .user ? "--user " : "")status"
        let what =
            switch result {
            case "failed": "failed"
            case "timeout": "took longer than its time limit"
            case "dependency": "needs another unit, which failed"
            case "canceled": "was given another job meanwhile"
            default: "ended with “\(result)”"
            }
        return "did not \(action.rawValue): it \(what) (`\(command)` says more)"
    }

    private func words(for failure: UnitFailure) -> String {
        switch failure {
        case .denied(let message):
            """
            systemd lets root \(action.rawValue) units of the system, and whom polkit lets \
            (org.freedesktop.systemd1.manage-units), and not user \(getuid()), as whom this feed runs: \(message)
            """
        case .refused(let message): message
        case .unanswered(let message): "systemd did not answer, so it may have been done: \(message)"
        case .disconnected(let message): message
        case .cancelled: "nobody waited for it any more"
        }
    }
}
