import Diffable
import DiffableProtocol

extension Client {
    /// Creates an empty list unless it exists.
    ///
    /// - Parameters:
    ///   - mode: the access mode of a created list; nil: the default of the daemon's configuration.
    ///   - patience: the time to keep trying while there is no daemon; at least one attempt is made.
    public func ensureList(
        _ list: ListName, durability: Durability = .durable, mode: AccessMode? = nil, patience: Duration = .seconds(30)
    ) async throws(ClientError) {
        _ = try await untilAnswered(by: .now + patience) { connection throws(ClientError) in
            try await connection.createList(list, durability: durability, ifPresent: .isKept, mode: mode)
        }
    }

    /// Changes a list based on its current state: reads it, passes a draft to the closure, and sends the changes to the draft
    /// as one transaction. If another client changed the list in between, all of that is repeated.
    ///
    ///     try await client.update("tasks") { draft in
    ///         try draft.moveItem("milk", beforeItem: draft.snapshot.itemIdentifiers[0])
    ///     }
    ///
    /// Each attempt reads the whole list. A change that does not depend on the state is cheaper by `transact`.
    ///
    /// - Parameters:
    ///   - patience: the time to keep trying while there is no daemon, or other clients change the list. After that it throws
    ///     the last error.
    ///   - change: called once for each attempt. An error that it throws ends the update; nothing was sent then. An impossible
    ///     operation on the draft throws an `OperationError`, whose description has the remedy.
    /// - Returns: nil if the closure changed nothing.
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
            // A random pause separates clients that conflict repeatedly.
            let pause = Duration.milliseconds(Int.random(in: 0...min(failures, 20)))
            do { try await Task.sleep(for: pause) } catch { throw ClientError.cancelled }
        }
    }
}
