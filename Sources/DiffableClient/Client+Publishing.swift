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
    /// state is published as soon as there is one.
    ///
    /// - Parameters:
    ///   - states: each is the whole list.
    ///   - durability: of a list that is made. One that goes with the daemon (`.volatile`) is made again with the next state.
    /// - Throws: what the sequence throws, and `ClientError` for what trying again does not heal.
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
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { writer.finish() }
                for try await state in states { writer.yield(state) }
            }
            group.addTask {
                for await state in newest {
                    try await self.untilThereIsADaemon(list, durability) { () throws(ClientError) in
                        try await apply(state)
                    }
                }
            }
            // The first that fails ends the other.
            while try await group.next() != nil {}
            try Task.checkCancellation()
        }
    }

    private func untilThereIsADaemon(
        _ list: ListName, _ durability: Durability, _ apply: () async throws(ClientError) -> Outcome
    ) async throws {
        while true {
            do throws(ClientError) {
                _ = try await apply()
                return
            } catch {
                if error.isOfNoList {
                    try await ensureList(list, durability: durability)
                } else if !error.isSettledByAskingAgain, !error.isHealedByReconnecting {
                    throw error
                }
            }
        }
    }
}

extension ClientError {
    /// Whether there is no such list.
    fileprivate var isOfNoList: Bool {
        if case .refused(let refusal) = self { refusal.code == WireError.Code.noSuchList.rawValue } else { false }
    }
}
