import Diffable
import DiffableProtocol

extension Client {
    /// Makes an empty list unless there is one.
    ///
    /// - Parameters:
    ///   - mode: who may see and change it; nil: as the daemon's configuration says.
    ///   - patience: how long to go on asking while there is no daemon; at least once it is asked.
    public func ensureList(
        _ list: ListName, durability: Durability = .durable, mode: AccessMode? = nil, patience: Duration = .seconds(30)
    ) async throws(ClientError) {
        _ = try await untilAnswered(by: .now + patience) { connection throws(ClientError) in
            try await connection.createList(list, durability: durability, ifPresent: .isKept, mode: mode)
        }
    }

    /// Changes a list from what it is: reads it, has the closure change a draft of it, and sends what was changed as one
    /// transaction. When somebody else was faster, all of that is done again, until it is the closure's turn.
    ///
    ///     try await client.update("tasks") { draft in
    ///         try draft.moveItem("milk", beforeItem: draft.snapshot.itemIdentifiers[0])
    ///     }
    ///
    /// The whole list is read each time: who knows what to change without looking says it by `transact`.
    ///
    /// - Parameters:
    ///   - patience: how long to go on while there is no daemon, or others are faster. After that it throws why it failed.
    ///   - change: is called once for each try. What it throws ends the update; nothing was sent then. A verb of the draft that
    ///     is impossible throws an `OperationError`, whose description says what to do.
    /// - Returns: nil when the closure changed nothing.
    @discardableResult
    public func update(
        _ list: ListName, patience: Duration = .seconds(30),
        _ change: @Sendable (inout SnapshotDraft) throws -> Void
    ) async throws -> Outcome? {
        let deadline = ContinuousClock.now + patience
        var failures = 0
        while true {
            let state = try await untilAnswered(by: deadline) { connection throws(ClientError) in
                try await connection.state(of: list)
            }
            var draft = SnapshotDraft(state.snapshot)
            try change(&draft)
            if draft.operations.isEmpty { return nil }
            do throws(ClientError) {
                return try await transact(
                    list, draft.operations, ifRevision: state.revision, patience: deadline - .now)
            } catch {
                guard error.isRefused(.revisionMismatch), .now < deadline else { throw error }
            }
            failures += 1
            // Those who meet again and again part by chance.
            let pause = Duration.milliseconds(Int.random(in: 0...min(failures, 20)))
            do { try await Task.sleep(for: pause) } catch { throw ClientError.cancelled }
        }
    }
}
