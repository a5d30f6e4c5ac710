import Diffable
import DiffableProtocol

/// A complete update of a subscription, to be copied elsewhere.
package enum FollowedUpdate: Sendable {
    /// The operations that make the state from nothing, and its position.
    case reset([ListOperation], ListPosition, UpdateCause)
    /// The operations that lead to a revision.
    case changes([ListOperation], revision: Int)
    /// The liveness of a mirror.
    case liveness(Liveness)
    case listDeleted
    /// The connection has ended.
    case end(ClientError)
}

extension Connection {
    /// Follows a list by complete updates, including the next list with that name, as long as the connection lasts.
    ///
    /// - Parameters:
    ///   - since: the position to continue from; nil: from nothing.
    ///   - lengthMax: the limit of one update in bytes. A longer one ends the subscription.
    ///   - receive: while it runs nothing is read, so a slow receiver gets fewer changes.
    /// - Returns: the list's position at the beginning; nil if the list does not exist yet.
    package func follow(
        _ list: ListName, since: ListPosition?, groupLengthMax lengthMax: Int,
        _ receive: @escaping @Sendable (FollowedUpdate) async -> Void
    ) async throws(ClientError) -> ListPosition? {
        let assembly = UpdateAssembly(lengthMax: lengthMax)
        var options = ListOptions()
        options.ifAbsent = .isAwaited
        let since = since.map { Request.Subscribe.Since(epoch: $0.epoch, revision: $0.revision) }
        let reply = try await begin(options.request(list, since: since)) { arrival in
            if let group = await assembly.receive(arrival) { await receive(group) }
        }
        return reply.start.map { ListPosition(epoch: $0.epoch, revision: $0.revision) }
    }
}

private actor UpdateAssembly {
    private var operations: [ListOperation] = []
    /// The length of their lines in bytes.
    private var length = 0
    private let lengthMax: Int

    init(lengthMax: Int) { self.lengthMax = lengthMax }

    func receive(_ arrival: MessageRouter.Arrival) -> FollowedUpdate? {
        guard case .notification(let message, let line) = arrival else {
            if case .end(let reason) = arrival { return .end(reason) }
            return nil
        }
        switch message {
        case .reset, .changes: length += line.count
        default: break
        }
        guard length <= lengthMax else {
            (operations, length) = ([], 0)
            let message =
                "one change of the list is longer than the daemon on this host takes (\(lengthMax) bytes): raise its "
                + "transactionLengthMax"
            return .end(.subscriptionEnded(Refusal(.tooLarge, message)))
        }
        switch message {
        case .reset(let reset):
            return completed(adding: reset.operations, reset.part).map {
                .reset(
                    $0, ListPosition(epoch: reset.epoch, revision: reset.revision),
                    UpdateCause(resetReason: reset.reason))
            }
        case .changes(let changes):
            return completed(adding: changes.operations, changes.part).map { .changes($0, revision: changes.revision) }
        case .bookmark(let bookmark): return bookmark.liveness.map(FollowedUpdate.liveness)
        case .listDeleted:
            (operations, length) = ([], 0)
            return .listDeleted
        case .subscriptionEnded(_, _, let reason, let message):
            return .end(.subscriptionEnded(Refusal(.init(rawValue: reason), message)))
        case .snapshot, .patch, .listsChanged, .result, .failure, .request, .requestCancelled, .handlerEnded, .other:
            return nil
        }
    }

    private func completed(adding part: [ListOperation], _ position: Request.Part) -> [ListOperation]? {
        operations += part
        guard position == .last else { return nil }
        defer { (operations, length) = ([], 0) }
        return operations
    }
}
