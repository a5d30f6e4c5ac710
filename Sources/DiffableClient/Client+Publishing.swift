import Diffable
import DiffableProtocol

extension Client {
    /// Makes a list equal to each state of a sequence, until the sequence ends. The daemon computes the diffs, and the list is
    /// created if it is missing.
    ///
    ///     let players = ValueObservation.tracking { try Player.order(\.score.desc).fetchAll($0) }
    ///     try await client.publish("players", from: players.values(in: database).map { players in
    ///         [Section(id: "all", items: try players.map { try Item(ItemID($0.id), encoding: $0) })]
    ///     })
    ///
    /// States do not queue up: while one is sent, only the newest one waits. A missing daemon is not an error: the newest state
    /// is published as soon as there is a daemon, even if the sequence has ended or failed by then.
    ///
    /// - Parameters:
    ///   - states: the states, each of the whole list.
    ///   - durability: the durability of a created list. A `.volatile` list disappears with the daemon, and is created again
    ///     with the next state.
    /// - Throws: the sequence's error, after its newest state is published, and `ClientError` if retries do not help: `refused`
    ///   for a state, in which case a list that was created for it is deleted again, and `cancelled`.
    public func publish<States: AsyncSequence & Sendable>(
        _ list: ListName, from states: States, durability: Durability = .durable
    ) async throws where States.Element == [Section] {
        try await publish(list, from: states, durability) { sections throws(ClientError) in
            try await self.apply(list, sections)
        }
    }

    /// Does the same for one section of a list; other publishers may own the other sections.
    public func publish<States: AsyncSequence & Sendable>(
        _ list: ListName, inSection section: SectionID, from states: States, durability: Durability = .durable
    ) async throws where States.Element == [Item] {
        try await publish(list, from: states, durability) { items throws(ClientError) in
            try await self.apply(list, items: items, inSection: section)
        }
    }

    private func publish<States: AsyncSequence & Sendable>(
        _ list: ListName, from states: States, _ durability: Durability,
        _ apply: @escaping @Sendable (States.Element) async throws(ClientError) -> Outcome
    ) async throws where States.Element: Sendable {
        let (newest, writer) = AsyncStream.makeStream(of: States.Element.self, bufferingPolicy: .bufferingNewest(1))
        do {
            let failure = try await withThrowingTaskGroup(of: (any Error)?.self) { group in
                group.addTask {
                    defer { writer.finish() }
                    do {
                        for try await state in states { writer.yield(state) }
                        return nil
                    } catch {
                        return error
                    }
                }
                group.addTask {
                    for await state in newest {
                        try await self.retryUntilApplied(list, durability) { () throws(ClientError) in
                            try await apply(state)
                        }
                    }
                    return nil
                }
                // The sequence's error waits for its newest state; a refusal ends both.
                var failure: (any Error)?
                for try await ended in group { failure = failure ?? ended }
                return failure
            }
            if let failure { throw failure }
        } catch {
            throw Task.isCancelled ? ClientError.cancelled : error
        }
        if Task.isCancelled { throw ClientError.cancelled }
    }

    private func retryUntilApplied(
        _ list: ListName, _ durability: Durability, _ apply: () async throws(ClientError) -> Outcome
    ) async throws {
        var isNew = false
        while true {
            do throws(ClientError) {
                _ = try await apply()
                return
            } catch {
                if error.isSettledByAskingAgain { continue }
                guard error.isRefused(.noSuchList) else {
                    if isNew { await deleteCreatedList(list) }
                    throw error
                }
            }
            do throws(ClientError) { isNew = try await makeList(list, durability) || isNew } catch {
                guard error.isSettledByAskingAgain else { throw error }
            }
        }
    }

    /// Returns true if the list was created. If the reply was lost, the list does not count as created.
    private func makeList(_ list: ListName, _ durability: Durability) async throws(ClientError) -> Bool {
        do throws(ClientError) {
            try await untilAnswered(by: .now + .seconds(30)) { connection throws(ClientError) in
                try await connection.createList(list, durability: durability, ifPresent: .isError)
            }
            return true
        } catch {
            guard error.isRefused(.listExists) else { throw error }
            return false
        }
    }

    /// Deletes a list that was created for a refused state, unless it has been changed since. If that fails, the refusal is
    /// still the error.
    private func deleteCreatedList(_ list: ListName) async {
        _ = try? await withConnection { connection in
            try await connection.deleteList(list, ifRevision: 0, keeping: .never)
        }
    }
}
