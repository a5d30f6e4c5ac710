import DiffableClient
import Glibc
import Systemd

struct UnitActionResults {
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

    /// Throws `RequestRefusal` if nothing was done at all, and `RequestFailure` if something may have been done.
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
                problems.append("\(unit) \(words(forJob: result, of: unit))")
            case .failure(let failure):
                if case .unanswered = failure { isRefused = false }
                problems.append("\(unit): \(words(for: failure))")
            }
        }
        if problems.isEmpty { return results }
        if isRefused, results.isEmpty { throw RequestRefusal(problems.joined(separator: "; ")) }
        let rest = results.isEmpty ? "" : "; done for \(results.map(\.unit).joined(separator: ", "))"
        throw RequestFailure(problems.joined(separator: "; ") + rest)
    }

    private func words(forJob result: String, of unit: String) -> String {
        let command = "systemctl \(bus == .user ? "--user " : "")status \(unit)"
        let what =
            switch result {
            case "failed": "failed"
            case "timeout": "took longer than its time limit"
            case "dependency": "needs another unit, which failed"
            case "canceled": "was cancelled by another job of the unit"
            default: "ended with \"\(result)\""
            }
        return "did not \(action.rawValue): it \(what) (see `\(command)`)"
    }

    private func words(for failure: UnitFailure) -> String {
        switch failure {
        case .denied(let message):
            """
            this feed runs as user \(getuid()), and only root and users whom polkit allows it \
            (org.freedesktop.systemd1.manage-units) can \(action.rawValue) the system's units: \(message)
            """
        case .refused(let message): message
        case .unanswered(let message):
            "it is not known whether the action was carried out, so check the unit: \(message)"
        case .disconnected(let message): message
        case .cancelled: "the caller stopped waiting"
        }
    }
}
