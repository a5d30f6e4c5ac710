import Diffable
import DiffableProtocol

/// What a subscription brings, a whole group at a time, for somebody who carries it on.
package enum FollowedGroup: Sendable {
    /// What makes the state from nothing, and where that is.
    case reset([ListOperation], ListPosition, UpdateCause)
    /// What leads to a revision.
    case changes([ListOperation], revision: Int)
    /// Of a mirror.
    case liveness(Liveness)
    case listDeleted
    /// Nothing more will come.
    case end(ClientError)
}

extension Connection {
    /// Follows a list by whole groups, also the next list of that name, for as long as the connection lasts.
    ///
    /// - Parameters:
    ///   - since: where to go on from; nil: from nothing.
    ///   - receive: while it runs nothing is read, so that whoever cannot keep up is given fewer changes.
    /// - Returns: Where the list was at the beginning; nil when there is none yet.
    package func follow(
        _ list: ListName, since: ListPosition?, _ receive: @escaping @Sendable (FollowedGroup) async -> Void
    ) async throws(ClientError) -> ListPosition? {
        let assembly = GroupAssembly()
        var options = ListOptions()
        options.ifAbsent = .isAwaited
        let since = since.map { Request.Subscribe.Since(epoch: $0.epoch, revision: $0.revision) }
        let reply = try await begin(options.request(list, since: since)) { arrival in
            if let group = await assembly.take(arrival) { await receive(group) }
        }
        return reply.start.map { ListPosition(epoch: $0.epoch, revision: $0.revision) }
    }
}

/// The parts of a group that is not whole yet.
private actor GroupAssembly {
    private var operations: [ListOperation] = []

    /// A group that is whole now.
    func take(_ arrival: Conversation.Arrival) -> FollowedGroup? {
        guard case .notification(let message, _) = arrival else {
            if case .end(let reason) = arrival { return .end(reason) }
            return nil
        }
        switch message {
        case .reset(let reset):
            return whole(reset.operations, reset.part).map {
                .reset(
                    $0, ListPosition(epoch: reset.epoch, revision: reset.revision),
                    UpdateCause(resetReason: reset.reason))
            }
        case .changes(let changes):
            return whole(changes.operations, changes.part).map { .changes($0, revision: changes.revision) }
        case .bookmark(let bookmark): return bookmark.liveness.map(FollowedGroup.liveness)
        case .listDeleted:
            operations = []
            return .listDeleted
        case .subscriptionEnded(_, _, let reason, let message):
            return .end(.subscriptionEnded(Refusal(name: reason, message: message)))
        case .snapshot, .patch, .result, .failure, .request, .requestCancelled, .handlerEnded, .other: return nil
        }
    }

    private func whole(_ part: [ListOperation], _ position: Request.Part) -> [ListOperation]? {
        operations += part
        guard position == .last else { return nil }
        defer { operations = [] }
        return operations
    }
}
