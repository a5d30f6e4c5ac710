import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableProtocol

struct UndoCommand {
    let list: ListName
    let target: UndoTarget
    let options: ChangeOptions

    static func check(_ n: Int?) throws {
        if let n, n < 1 { throw ValidationError("-n must be 1 or more, not \(n)") }
    }

    func run(dryRun: Bool) async throws {
        if dryRun {
            return try await options.daemon.withReadOnlyConnection { connection in
                let old = try await connection.state(of: list).snapshot
                let outcome = try await connection.undo(request(.dryRun))
                try Preview(old: old, operations: outcome.operations ?? []).show()
                if !options.quiet {
                    printMessage(
                        "nothing was changed; this would \(try await words(outcome, connection, isDone: false))")
                }
            }
        }
        let before = try await options.daemon.withReadOnlyConnection { connection in
            let oldest = try? await connection.history(of: list, limit: 1).oldestRevision
            if oldest == 0, case .back = target { try await refuseToEmpty(connection) }
            return oldest
        }
        let outcome = try await options.answer { try await $0.undo(request(.commit, $1)) }
        if options.quiet { return }
        guard outcome.changed else { return printMessage("nothing was changed: \(list) already has that state") }
        var detail: String?
        var oldest: Int?
        // The change has been made, so a lost connection is not an error here.
        try? await options.daemon.withReadOnlyConnection { connection in
            detail = try await words(outcome, connection, isDone: true)
            oldest = try await connection.history(of: list, limit: 1).oldestRevision
        }
        var output = StandardOutput()
        output.line(OutcomeWords.line(outcome) + (detail.map { "; \($0)" } ?? ""))
        output.flush()
        // A large undo pushes earlier revisions out of the history.
        if let before, let oldest, oldest > before {
            printMessage(
                "revisions before \(oldest) were dropped to make room for this change; undo --to can go back to \(oldest)"
            )
        }
    }

    private func request(_ mode: TransactionMode, _ key: RequestKey? = nil) -> Request.Undo {
        Request.Undo(list: list, target, ifRevision: options.ifRevision, requestKey: key, mode: mode)
    }

    /// Refuses an undo of the first change if that made several items, since it empties a list that was imported, copied or
    /// restored.
    private func refuseToEmpty(_ connection: Connection) async throws {
        guard try await connection.undo(request(.dryRun)).undoStep?.to == 0 else { return }
        let count = try await connection.state(of: list, at: 1).snapshot.numberOfItems
        guard count > 1 else { return }
        throw CommandError(
            .refused,
            "this would undo the first change of \(quoted(list)), which made \(count) items, and leave it empty; nothing was "
                + "changed. To empty it, use --to 0. To get back a list that restore replaced, use diffablectl undelete "
                + "\(commandWord(list)) --as NAME")
    }

    /// `undid revision 7 by planner (pid 4711, uid 1000)`
    private func words(_ outcome: Outcome, _ connection: Connection, isDone: Bool) async throws -> String {
        let (undo, redo) = isDone ? ("undid", "redid") : ("undo", "redo")
        switch (target, outcome.undoStep) {
        case (.back(1), let step?): return "\(undo) \(try await change(step.from, outcome, connection))"
        case (.forward(1), let step?): return "\(redo) \(try await change(step.to, outcome, connection))"
        case (.back(let count), let step?):
            return "\(undo) \(counted(count, "change")), back to revision \(step.to)"
        case (.forward(let count), let step?):
            return "\(redo) \(counted(count, "change")), forward to revision \(step.to)"
        case (.revision(let revision), _): return isDone ? "as at revision \(revision)" : "restore revision \(revision)"
        case (_, nil): return isDone ? "done" : "change the list"
        }
    }

    /// Names a change and its author, if history keeps it.
    private func change(_ revision: Int, _ outcome: Outcome, _ connection: Connection) async throws -> String {
        let history = try await connection.history(of: list, limit: max(1, outcome.revision - revision + 1))
        let transaction = history.transactions.first { $0.revision == revision }
        let author = transaction.flatMap { Log.words($0.client, $0.processID, $0.userID) }
        return "revision \(revision)" + (author.map { " by \($0)" } ?? "")
    }
}
