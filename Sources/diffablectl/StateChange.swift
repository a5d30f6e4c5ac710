import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

extension ChangeOptions {
    /// Makes operations from a list's state, and applies them to this state only. If another client changed the list in
    /// between, they are made again from the new state. So nothing is changed that was not read before. Returns nil if there
    /// were no operations.
    func outcome(
        of list: ListName, _ options: ListOptions = ListOptions(),
        preparing prepare: (Connection) async throws -> Void = { _ in }, _ making: (ListState) throws -> [ListOperation]
    ) async throws -> Outcome? {
        /// The request that was sent and has no reply yet. With the same key it can be sent again, and is not carried out twice.
        var sent: (operations: [ListOperation], revision: Int)?
        var attempts = 0
        return try await answer { connection, key in
            try await prepare(connection)
            while true {
                if sent == nil {
                    let state = try await connection.state(of: list, options)
                    let operations = try making(state)
                    // The daemon checks the revision that the user named, even if there is nothing to do.
                    if operations.isEmpty, ifRevision == nil || ifRevision == state.revision { return nil }
                    sent = (operations, ifRevision ?? state.revision)
                    attempts += 1
                }
                guard let change = sent else { preconditionFailure("it was made above") }
                do {
                    return try await connection.transact(
                        list, change.operations, ifRevision: change.revision, requestKey: key)
                } catch ClientError.refused(let refusal)
                    where refusal.code == .revisionMismatch && ifRevision == nil && attempts < Self.attemptsMax
                {
                    sent = nil
                }
            }
        }
    }

    /// The number of attempts for a list that keeps changing. Each attempt reads the list.
    private static var attemptsMax: Int { 100 }

    /// Makes the same change, and reports it in one line. `words` returns the report, such as `3 items deleted`.
    func transact(
        _ list: ListName, _ options: ListOptions = ListOptions(), saying words: () -> String? = { nil },
        _ making: (ListState) throws -> [ListOperation]
    ) async throws {
        guard let outcome = try await outcome(of: list, options, making) else { return }
        report(outcome, saying: words())
    }

    func report(_ outcome: Outcome, saying words: String?) {
        guard !quiet, outcome.changed else { return }
        var output = StandardOutput()
        output.line(OutcomeWords.line(outcome) + (words.map { ": \($0)" } ?? ""))
        output.flush()
    }

    /// Changes all items that match a condition, in one transaction, and prints a message if there are none. `making` makes
    /// operations from the part of the state that was read, and the items. Returns the outcome and the number of items; nil if
    /// nothing was changed.
    func outcome(
        of list: ListName, where conditions: ConditionOptions, isDryRun: Bool,
        _ making: (Snapshot, [Item]) throws -> [ListOperation]
    ) async throws -> (outcome: Outcome, count: Int)? {
        let matching = try ItemMatcher(try conditions.json())
        let fields = try conditions.namedFields
        var (count, shown) = (0, Snapshot())
        func operations(_ state: ListState) throws -> [ListOperation] {
            let items = matching.items(in: state.snapshot)
            shown = state.snapshot
            try FieldAdvice.refuseTextForFalse(fields, in: items)
            count = items.count
            return items.isEmpty ? [] : try making(state.snapshot, items)
        }
        var outcome: Outcome?
        if isDryRun {
            try await preview(list, operations)
        } else {
            outcome = try await self.outcome(of: list, matching.options, operations)
        }
        if !quiet {
            if count == 0 { printMessage("no item of \(list) meets the condition; nothing was changed") }
            // Even after a change, since every item matches a condition that negates a misspelt field. The change has been
            // made, so a lost connection is not an error here.
            _ = try? await daemon.withReadOnlyConnection {
                await FieldAdvice(fields, of: list, over: $0).printWarnings(shown: shown)
            }
        }
        return count == 0 ? nil : outcome.map { ($0, count) }
    }

    /// Shows a change without making it. `making` makes operations from the state; none if there is nothing to show.
    func preview(_ list: ListName, _ making: (ListState) throws -> [ListOperation]) async throws {
        try await daemon.withReadOnlyConnection { connection in
            let state = try await connection.state(of: list)
            let operations = try making(state)
            if operations.isEmpty { return }
            let outcome = try await connection.transact(list, operations, ifRevision: ifRevision, mode: .dryRun)
            let preview = Preview(old: state.snapshot, operations: outcome.operations ?? [])
            try preview.show()
            if quiet { return }
            let parts = OutcomeWords.parts(try preview.summary)
            printMessage(
                parts.isEmpty
                    ? "the change would leave \(list) as it is"
                    : "nothing was changed; without --dry-run: \(parts.joined(separator: ", "))")
        }
    }
}

struct PreviewOptions: ParsableArguments {
    @Flag(help: "Show the change and change nothing.") var dryRun = false
}

// MARK: - To another state

extension ChangeOptions {
    /// Brings a list to a state that is computed from its present one, and reports the change. Tries again if another client
    /// changed the list in between. `prepare` runs before each request.
    func transact(
        _ list: ListName, preparing prepare: (Connection) async throws -> Void = { _ in },
        to making: (Snapshot) throws -> Snapshot
    ) async throws {
        var parts: [String] = []
        let outcome = try await outcome(of: list, preparing: prepare) { state in
            let new = try making(state.snapshot)
            let difference = new.difference(from: state.snapshot)
            parts = OutcomeWords.parts(DifferenceSummary(difference, from: state.snapshot, to: new))
            return difference
        }
        guard let outcome else { return }
        report(outcome, saying: parts.isEmpty ? nil : parts.joined(separator: ", "))
    }
}
