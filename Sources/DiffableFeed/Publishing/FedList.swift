import Diffable
import DiffableClient
import DiffableInput

/// The list of a feed: what is known of it, and what is sent to make it what the source brought.
///
/// The last state is kept, and only what is different is sent, under the condition that the list is still at that revision. When
/// somebody else changed it, or after another connection, it is read again first, so that what was sent last never counts for more
/// than what is there.
package actor FedList {
    private struct Known {
        var snapshot: Snapshot
        var revision: Int
        var epoch: String
        /// Of the connection.
        var number: Int
        /// When this was known to be so.
        var time = ContinuousClock.Instant.now
    }

    private let settings: FeedSettings
    private let link: DaemonLink
    private var known: Known?
    /// What was brought last: it is sent again to a daemon that does not have it.
    private var wanted: Snapshot?
    /// The epoch in which it was made what was brought: as long as that lasts it is this feed's, whatever its content says.
    private var fedEpoch: String?

    /// How often the list is read again because somebody else was faster.
    private static let attemptsMax = 20
    /// The age of a known list after which it is read again before a state is refused. A user may have emptied it.
    private static let refusalSpan = Duration.seconds(10)

    package init(_ settings: FeedSettings, over link: DaemonLink) {
        self.settings = settings
        self.link = link
    }

    /// Whether it was made what was brought, as far as is known.
    package var isFed: Bool { fedEpoch != nil }

    /// The list as it is. Makes it if there is none; throws for one that somebody else has filled. Waits as long as there is no
    /// daemon.
    package func state() async throws -> Snapshot { try await insisting { try await current().snapshot } }

    /// Makes the list what was brought. Waits as long as there is no daemon.
    ///
    /// - Returns: whether anything was different.
    @discardableResult
    package func send(whole: FeedSettings.Whole?, items: [Input]) async throws -> Bool {
        let settings = settings
        return try await change { known in try settings.state(from: known, whole: whole, items: items) }
    }

    /// Sends what was brought last to a daemon that was started anew. Does nothing if nothing was brought yet.
    package func sendAgain() async throws {
        guard let wanted else { return }
        let (settings, last) = (settings, known)
        try await change { known in
            // The same list as before, at the same revision: nothing happened while there was no connection.
            if known == last?.snapshot { return known }
            // What somebody else has put into it meanwhile stays.
            return settings.onlyAdds
                ? try settings.state(from: known, whole: nil, items: [.whole(WholeList(sections: wanted.sections))])
                : wanted
        }
    }

    /// The list was deleted: it is made again with what was brought last.
    package func makeAgain() async throws {
        forget()
        try await sendAgain()
    }

    /// The list was deleted.
    package func forget() { (known, fedEpoch) = (nil, nil) }

    @discardableResult
    private func change(_ making: (Snapshot) throws -> Snapshot) async throws -> Bool {
        try await insisting {
            let known = try await current()
            // A list that is this feed's is marked again when somebody has taken the mark away.
            let isOwn = fedEpoch == known.epoch && !settings.onlyAdds
            let new = try settings.marked(making(known.snapshot), after: isOwn ? Snapshot() : known.snapshot)
            let operations = new.difference(from: known.snapshot)
            if operations.isEmpty {
                (wanted, fedEpoch) = (new, known.epoch)
                return false
            }
            try settings.checkDeletions(operations, from: known.snapshot, to: new)
            let list = settings.list
            let outcome = try await link.perform { current in
                guard current.number == known.number else {
                    throw ClientError.connectionLost(current.connection.path)
                }
                return try await current.connection.transact(list, operations, ifRevision: known.revision)
            }
            self.known = Known(
                snapshot: new, revision: outcome.revision, epoch: known.epoch, number: known.number)
            (wanted, fedEpoch) = (new, known.epoch)
            return true
        }
    }

    /// Does it again when somebody else was faster, and when the connection is lost.
    private func insisting<R>(_ body: () async throws -> R) async throws -> R {
        var attempts = 0
        while true {
            try Task.checkCancellation()
            do {
                return try await body()
            } catch is DeletionRefusal where known.map({ $0.time + Self.refusalSpan < .now }) ?? false {
                known = nil
            } catch ClientError.refused(let refusal)
                where ["revisionMismatch", "noSuchList"].contains(refusal.name) && attempts < Self.attemptsMax
            {
                known = nil
                attempts += 1
            } catch let error as ClientError {
                known = nil
                guard error.isSettledByAskingAgain else { throw Self.explained(error, settings.list) }
                // `perform` waits for the next connection; until the loss is noticed there is the old one.
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private static func explained(_ error: ClientError, _ list: ListName) -> any Error {
        if case .cancelled = error { return CancellationError() }
        return FeedError("the list \(quoted(list)) is not changed: \(error)")
    }

    /// What is known of the list, over the connection that there is.
    private func current() async throws -> Known {
        if let known, await link.number == known.number { return known }
        let (settings, fedEpoch) = (settings, fedEpoch)
        let looked = try await link.perform { current -> Known in
            let state = try await settings.look(over: current.connection, fedIn: fedEpoch)
            return Known(
                snapshot: state.snapshot, revision: state.revision, epoch: state.epoch, number: current.number)
        }
        // Another list of that name is nobody's yet.
        if looked.epoch != self.fedEpoch { self.fedEpoch = nil }
        self.known = looked
        return looked
    }
}

extension FeedSettings {
    /// Makes the list if there is none, and reads it. Throws for a list that somebody else has filled, which it does not touch.
    ///
    /// - Parameter epoch: in which it is this feed's, whatever its content says.
    func look(over connection: Connection, fedIn epoch: String? = nil) async throws -> ListState {
        try await connection.createList(list, durability: durability, ifPresent: .isKept, mode: mode ?? .ownerOnly)
        let state = try await connection.state(of: list)
        if state.epoch != epoch { try checkOwnership(of: state.snapshot) }
        if let mode, let summary = try await connection.lists().first(where: { $0.list == list }),
            summary.access.mode != mode
        {
            try await connection.setAccess(of: list, mode: mode)
        }
        return state
    }
}
