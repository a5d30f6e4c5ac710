import Diffable
import DiffableProtocol

/// Keeping a list what something else says: the counterpart of `NSFetchedResultsController`.
extension Client {
    /// Makes a list each state that a sequence brings, until the sequence ends; the daemon finds what is different. The list
    /// is made when it is not there.
    ///
    ///     let players = ValueObservation.tracking { try Player.order(\.score.desc).fetchAll($0) }
    ///     try await client.publish("players", from: players.values(in: database).map { players in
    ///         [Section(id: "all", items: try players.map { try Item(ItemID($0.id), encoding: $0) })]
    ///     })
    ///
    /// Nothing queues up: while one state is on its way, the newest one waits. That there is no daemon is no error; the newest
    /// state is published as soon as there is one, also when the sequence has ended meanwhile, by an error too.
    ///
    /// - Parameters:
    ///   - states: each is the whole list.
    ///   - durability: of a list that is made. One that goes with the daemon (`.volatile`) is made again with the next state.
    /// - Throws: what the sequence throws, once its newest state is published, and `ClientError` for what trying again does
    ///   not heal: a state that is refused, so that a list that was made for it is taken away again, and `cancelled`.
    public func publish<States: AsyncSequence & Sendable>(
        _ list: ListName, from states: States, durability: Durability = .durable
    ) async throws where States.Element == [Section] {
        try await publish(list, from: states, durability) { sections throws(ClientError) in
            try await self.apply(list, sections)
        }
    }

    /// The same for one section of a list: whoever publishes the others has theirs.
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
                        try await self.untilThereIsADaemon(list, durability) { () throws(ClientError) in
                            try await apply(state)
                        }
                    }
                    return nil
                }
                // What the sequence throws waits for its newest state; what is refused ends both.
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

    private func untilThereIsADaemon(
        _ list: ListName, _ durability: Durability, _ apply: () async throws(ClientError) -> Outcome
    ) async throws {
        /// Whether the list was made for this state.
        var isNew = false
        while true {
            do throws(ClientError) {
                _ = try await apply()
                return
            } catch {
                if error.isSettledByAskingAgain { continue }
                guard error.isRefused(.noSuchList) else {
                    if isNew { await takeAway(list) }
                    throw error
                }
            }
            do throws(ClientError) { isNew = try await makeList(list, durability) || isNew } catch {
                guard error.isSettledByAskingAgain else { throw error }
            }
        }
    }

    /// Whether there was none before. One whose making nobody has answered does not count as made.
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

    /// A list that was made for a state that is refused goes, unless somebody has put something in meanwhile. What is thrown
    /// is the refusal, also when the list cannot be deleted.
    private func takeAway(_ list: ListName) async {
        _ = try? await withConnection { connection in
            try await connection.deleteList(list, ifRevision: 0, keeping: .never)
        }
    }
}
