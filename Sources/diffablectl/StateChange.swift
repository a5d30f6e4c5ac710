import Diffable
import DiffableClient
import DiffableInput

extension ChangeOptions {
    /// Makes operations from the state of a list, and applies them to this state only. If somebody else changed the list in
    /// between, they are made again from the new state. So nothing is changed that was not read before.
    ///
    /// - Parameters:
    ///   - options: the part of the list that is read.
    ///   - making: returns the operations; none if nothing is to be changed.
    /// - Returns: the outcome; nil if there were no operations.
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
                    // The daemon checks the revision that the user named, also if there is nothing to do.
                    if operations.isEmpty, ifRevision == nil || ifRevision == state.revision { return nil }
                    sent = (operations, ifRevision ?? state.revision)
                    attempts += 1
                }
                guard let change = sent else { preconditionFailure("it was made above") }
                do {
                    return try await connection.transact(
                        list, change.operations, ifRevision: change.revision, requestKey: key)
                } catch ClientError.refused(let refusal)
                    where refusal.name == "revisionMismatch" && ifRevision == nil && attempts < Self.attemptsMax
                {
                    sent = nil
                }
            }
        }
    }

    /// The number of attempts for a list that changes all the time. Each attempt takes the time of reading it.
    private static var attemptsMax: Int { 100 }

    /// The same, and reports the change in one line.
    ///
    /// - Parameter words: the report, such as `3 items deleted`; none if nothing was done.
    func transact(
        _ list: ListName, _ options: ListOptions = ListOptions(), saying words: () -> String? = { nil },
        _ making: (ListState) throws -> [ListOperation]
    ) async throws {
        guard let outcome = try await outcome(of: list, options, making), !quiet, outcome.changed else { return }
        var output = StandardOutput()
        output.line(OutcomeWords.line(outcome) + (words().map { ": \($0)" } ?? ""))
        output.flush()
    }

    /// Changes all items that meet a condition, in one transaction, and reports their number.
    ///
    /// - Parameter verb: the participle for the report, such as `deleted`.
    func transact(
        _ list: ListName, where conditions: ConditionOptions, _ verb: String,
        _ making: ([Item]) throws -> [ListOperation]
    ) async throws {
        let matching = try Matching(try conditions.json())
        var count = 0
        try await transact(list, matching.options, saying: { "\(counted(count, "item")) \(verb)" }) { state in
            let items = matching.items(in: state.snapshot)
            count = items.count
            return items.isEmpty ? [] : try making(items)
        }
        guard count == 0, !quiet else { return }
        say("no item of \(list) meets the condition; nothing was changed")
        let fields = try conditions.namedFields
        try await daemon.reading { await FieldAdvice(fields, of: list, over: $0).give(shown: Snapshot()) }
    }
}

// MARK: - To another state

extension ChangeOptions {
    /// Brings a list to a state that is computed from its present one, and reports the change. Tries again if somebody else
    /// changed the list in between.
    ///
    /// - Parameter prepare: is called before each request.
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
        guard let outcome, !quiet, outcome.changed else { return }
        var output = StandardOutput()
        output.line(OutcomeWords.line(outcome) + (parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))"))
        output.flush()
    }
}
