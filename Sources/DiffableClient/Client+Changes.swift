import Diffable

/// Changes that are made exactly once, even if the connection is lost in between: each has its own request key, and is
/// requested again over the next connection until there is a reply.
extension Client {
    /// Applies operations, all or none.
    ///
    ///     try await client.transact("tasks", [.appendItems([Item(id: "milk")])])
    ///
    /// - Parameters:
    ///   - ifRevision: refused as `revisionMismatch` unless the list is at this revision.
    ///   - patience: the time to keep trying while there is no daemon; at least one attempt is made. The error thrown then may
    ///     leave open whether the change was made (`connectionLost`, `noReply`, or `refused` as `storageFailed`).
    @discardableResult
    public func transact(
        _ list: ListName, _ operations: [ListOperation], ifRevision: Int? = nil, patience: Duration = .seconds(30)
    ) async throws(ClientError) -> Outcome {
        try await once(patience) { connection, key throws(ClientError) in
            try await connection.transact(list, operations, ifRevision: ifRevision, requestKey: key)
        }
    }

    /// Applies operations if the list's handler consents; if there is none, like `transact`. The handler's refusal is thrown as
    /// `refused`, with the code `refused` and its text.
    ///
    /// - Parameter timeout: the time that the daemon waits for the handler: 1 ms to 10 minutes; nil: 30 seconds.
    @discardableResult
    public func propose(
        _ list: ListName, _ operations: [ListOperation], ifRevision: Int? = nil, timeout: Duration? = nil,
        patience: Duration = .seconds(30)
    ) async throws(ClientError) -> Outcome {
        try await once(patience) { connection, key throws(ClientError) in
            try await connection.propose(
                list, operations, ifRevision: ifRevision, requestKey: key, timeout: timeout)
        }
    }

    /// Replaces the whole list. The daemon computes the diff and sends only that to followers.
    ///
    /// - Parameter content: the list's own content; `nil` keeps it, and an inner `nil` removes it.
    @discardableResult
    public func apply(
        _ list: ListName, _ sections: [Section], content: Content?? = nil, delivery: Delivery = .difference,
        ifRevision: Int? = nil, patience: Duration = .seconds(30)
    ) async throws(ClientError) -> Outcome {
        try await once(patience) { connection, key throws(ClientError) in
            try await connection.apply(
                list, sections, content: content, delivery: delivery, ifRevision: ifRevision, requestKey: key)
        }
    }

    /// Replaces the items of one section; a section that does not exist is added at the end.
    @discardableResult
    public func apply(
        _ list: ListName, items: [Item], inSection section: SectionID, delivery: Delivery = .difference,
        ifRevision: Int? = nil, patience: Duration = .seconds(30)
    ) async throws(ClientError) -> Outcome {
        try await once(patience) { connection, key throws(ClientError) in
            try await connection.apply(
                list, items: items, inSection: section, delivery: delivery, ifRevision: ifRevision, requestKey: key)
        }
    }

    /// Undoes the newest changes by a new transaction. The next undo continues with the change before them.
    ///
    ///     let undone = try await client.undo("tasks").undoStep
    @discardableResult
    public func undo(
        _ list: ListName, steps: Int = 1, ifRevision: Int? = nil, patience: Duration = .seconds(30)
    ) async throws(ClientError) -> Outcome {
        try await once(patience) { connection, key throws(ClientError) in
            try await connection.undo(list, steps: steps, ifRevision: ifRevision, requestKey: key)
        }
    }

    /// Redoes the changes that were undone last, by a new transaction. After any other change there is nothing to redo.
    @discardableResult
    public func redo(
        _ list: ListName, steps: Int = 1, ifRevision: Int? = nil, patience: Duration = .seconds(30)
    ) async throws(ClientError) -> Outcome {
        try await once(patience) { connection, key throws(ClientError) in
            try await connection.redo(list, steps: steps, ifRevision: ifRevision, requestKey: key)
        }
    }

    /// Restores an earlier revision by a new transaction.
    @discardableResult
    public func undo(
        _ list: ListName, to revision: Int, ifRevision: Int? = nil, patience: Duration = .seconds(30)
    ) async throws(ClientError) -> Outcome {
        try await once(patience) { connection, key throws(ClientError) in
            try await connection.undo(list, to: revision, ifRevision: ifRevision, requestKey: key)
        }
    }

    private func once(
        _ patience: Duration,
        _ change: (Connection, RequestKey) async throws(ClientError) -> Outcome
    ) async throws(ClientError) -> Outcome {
        let key = RequestKey.random()
        return try await untilAnswered(by: .now + patience) { connection throws(ClientError) in
            try await change(connection, key)
        }
    }

    /// Sends an idempotent request over one connection after the other until there is a reply; at least once.
    func untilAnswered<Answer: Sendable>(
        by deadline: ContinuousClock.Instant, _ request: (Connection) async throws(ClientError) -> Answer
    ) async throws(ClientError) -> Answer {
        var failures = 0
        /// The error that left open whether the change was made. A later lack of connections does not settle that.
        var openEnd: ClientError?
        while true {
            let connection: Connection
            do throws(ClientError) { connection = try await shared.acquire(until: deadline) } catch {
                throw error.isHealedByReconnecting ? openEnd ?? error : error
            }
            defer { shared.release() }
            do throws(ClientError) {
                let answer = try await request(connection)
                shared.noteUse()
                return answer
            } catch {
                failures += 1
                guard error.isSettledByAskingAgain, .now < deadline else { throw error }
                if error.leavesOutcomeOpen { openEnd = error }
                if error.isLoss { shared.giveUp(connection) }
            }
            // The connection may still be good, because the problem may be in the daemon.
            do { try await Task.sleep(for: Backoff.pause(afterFailures: failures)) } catch { throw .cancelled }
        }
    }
}
