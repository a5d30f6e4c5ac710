import Diffable
import DiffableClient
import DiffableInput

/// A feed's list: its last known state, and the changes that bring it to the state from the source. Only the difference from the
/// known state is sent, on the condition that the list is still at that revision. The list is read again after another client
/// changed it, and after a reconnection. So the feed never relies on an outdated state.
package actor FedList {
    private struct Known {
        var snapshot: Snapshot
        var revision: Int
        var epoch: String
        /// The number of the connection over which the state was read.
        var number: Int
        /// The time at which the list had this state.
        var time = ContinuousClock.Instant.now
    }

    private let settings: FeedSettings
    private let link: DaemonLink
    private var known: Known?
    /// The last state from the source. A daemon that does not have it gets it again.
    private var wanted: Snapshot?
    /// The epoch in which the feed filled the list. In that epoch the list belongs to the feed, even if its content lacks the
    /// mark.
    private var fedEpoch: String?

    /// The number of attempts when other clients change the list first.
    private static let attemptsMax = 20
    /// The age at which a known state is read again before a deletion is refused, because a user may have emptied the list.
    private static let refusalSpan = Duration.seconds(10)

    package init(_ settings: FeedSettings, over link: DaemonLink) {
        self.settings = settings
        self.link = link
    }

    package var isFed: Bool { fedEpoch != nil }

    /// Waits for a daemon, creates the list if it is missing, and returns its state. Throws for a list of another user, and for
    /// one with items that no feed added.
    package func state() async throws -> Snapshot { try await retrying { try await current().snapshot } }

    /// Brings the list to the state from the source. Waits until connected to a daemon. Returns whether the list was different.
    @discardableResult
    package func send(whole: FeedSettings.Whole?, changes: [StreamedChange]) async throws -> Bool {
        let settings = settings
        return try await change { known in try settings.state(from: known, whole: whole, changes: changes) }
    }

    /// Sends the last state again after a reconnection, if the list has changed. Does nothing before the source's first
    /// state.
    package func resendLastState() async throws {
        guard let wanted else { return }
        let (settings, last) = (settings, known)
        try await change { known in
            // The same list at the same revision needs no change.
            if known == last?.snapshot { return known }
            // Items that other clients added in the meantime stay.
            return settings.onlyAdds
                ? try settings.state(
                    from: known, whole: nil, changes: [.merge(.whole(WholeList(sections: wanted.sections)))])
                : wanted
        }
    }

    /// Creates the deleted list again, with the last state from the source.
    package func recreate() async throws {
        forget()
        try await resendLastState()
    }

    package func forget() { (known, fedEpoch) = (nil, nil) }

    @discardableResult
    private func change(_ making: (Snapshot) throws -> Snapshot) async throws -> Bool {
        try await retrying {
            let known = try await current()
            // If another client removed the mark from this feed's list, the feed adds it again.
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
                do {
                    return try await current.connection.transact(list, operations, ifRevision: known.revision)
                } catch ClientError.refused(let refusal) where refusal.code == .tooLarge {
                    let max = try await current.connection.limit("contentLengthMax")
                    let items = Input.items(new.sections.flatMap(\.items))
                    guard let problem = max.flatMap(items.longItem) else { throw ClientError.refused(refusal) }
                    throw FeedError("\(problem); shorten it, or raise the limit in the daemon's configuration")
                }
            }
            self.known = Known(
                snapshot: new, revision: outcome.revision, epoch: known.epoch, number: known.number)
            (wanted, fedEpoch) = (new, known.epoch)
            return true
        }
    }

    /// Retries when another client changed the list first, and when the connection is lost.
    private func retrying<R>(_ body: () async throws -> R) async throws -> R {
        var attempts = 0
        while true {
            try Task.checkCancellation()
            do {
                return try await body()
            } catch is DeletionRefusal where known.map({ $0.time + Self.refusalSpan < .now }) ?? false {
                known = nil
            } catch ClientError.refused(let refusal)
                where [.revisionMismatch, .noSuchList].contains(refusal.code) && attempts < Self.attemptsMax
            {
                known = nil
                attempts += 1
            } catch let error as ClientError {
                known = nil
                guard error.isSettledByAskingAgain else { throw Self.explained(error, settings.list) }
                // `perform` waits for the next connection, but it may still see the old one until the loss is noticed.
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private static func explained(_ error: ClientError, _ list: ListName) -> any Error {
        if case .cancelled = error { return CancellationError() }
        return FeedError("cannot change the list \(quoted(list)): \(error)")
    }

    private func current() async throws -> Known {
        if let known, await link.number == known.number { return known }
        let (settings, fedEpoch) = (settings, fedEpoch)
        let looked = try await link.perform { current -> Known in
            let state = try await settings.ensureList(over: current.connection, fedIn: fedEpoch)
            return Known(
                snapshot: state.snapshot, revision: state.revision, epoch: state.epoch, number: current.number)
        }
        // A different list with this name does not belong to the feed yet.
        if looked.epoch != self.fedEpoch { self.fedEpoch = nil }
        self.known = looked
        return looked
    }
}

extension FeedSettings {
    /// Creates the list if it is missing, and reads it. Throws for a list of another user, and for one with items that no feed
    /// added; changes neither. `epoch` is an epoch in which the list belongs to this feed, even if its content lacks the mark.
    func ensureList(over connection: Connection, fedIn epoch: String? = nil) async throws -> ListState {
        try await connection.createList(list, durability: durability, ifPresent: .isKept, mode: mode ?? .ownerOnly)
        let summary = try await usableList(over: connection)
        let state = try await connection.state(of: list)
        guard let summary, summary.epoch == state.epoch else {
            throw FeedError("the list \(quoted(list)) was replaced while it was read; the feed tries again")
        }
        if state.epoch != epoch { try checkOwnership(of: state.snapshot) }
        if let mode, summary.access.mode != mode { try await connection.setAccess(of: list, mode: mode) }
        return state
    }
}
