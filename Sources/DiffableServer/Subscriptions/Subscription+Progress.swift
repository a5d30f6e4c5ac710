import DiffableProtocol
import DiffableStore

// The progress of a subscription, as other code sees it.

extension Subscription {
    /// The state from which it starts.
    enum Start {
        case nothing(NotificationWriter.ResetReason)
        case sent(DeliveredState, isSameView: Bool)
    }

    /// Whether an answer that waits for its own effects to be sent need not wait for this subscription any longer.
    func isSettled(for barrier: Outbox.Barrier) -> Bool {
        guard let revision = barrier.revision(for: list) else { return true }
        switch machine.state {
        case .ended: return true
        case .revoked: return false
        case .waiting: return !machine.owesDeletion
        case .preparing: return isPassedOver(by: barrier)
        case .following:
            if isPassedOver(by: barrier) { return true }
            guard let audience else { return false }
            // Another incarnation than the one that it follows has been deleted, and its client has been notified.
            let isOtherLife = revision == .max || audience.list.state.epoch != barrier.epoch
            if !audience.list.isDeleted, isOtherLife { return true }
            return isSettled(upTo: revision, in: audience)
        }
    }

    /// Whether the barrier skips it: a subscription with a minimum interval is waited for only if the order requires
    /// it.
    private func isPassedOver(by barrier: Outbox.Barrier) -> Bool {
        machine.updateTimer?.minInterval != nil && !barrier.includesPaced
    }

    /// Whether it may have much to send, by a quick estimate.
    var isBehind: Bool {
        if machine.rest != .nothing { return true }
        guard machine.state == .following, let audience else { return false }
        return sent?.shown !== audience.shown
    }

    /// Whether everything has been sent. True for an ended subscription, to which nothing is left to send.
    var isSettled: Bool {
        switch machine.state {
        case .ended: return true
        case .waiting: return !machine.owesDeletion
        case .revoked, .preparing: return false
        case .following: return audience.map { isSettled(upTo: $0.list.state.revision, in: $0) } ?? false
        }
    }

    /// Whether everything that its view shows up to a revision has been sent.
    private func isSettled(upTo revision: Int, in audience: Audience) -> Bool {
        guard let sent, machine.rest == .nothing, !machine.owesView, !audience.list.isDeleted else { return false }
        if sent.revision >= revision { return true }
        audience.list.update()
        // The later changes did not change the shown rows.
        return sent.shown === audience.shown && audience.state.revision >= revision
    }

    /// The form of its lines.
    var form: LineForm {
        switch request.form {
        case .operations: .operations(lineLengthMax: connection.lineLengthMax)
        case .snapshots: .snapshots
        case .patches: .patches
        }
    }

    /// The number of revisions still to be sent; nil without a list.
    var revisionsBehind: Int? {
        guard let audience else { return nil }
        return isSettled ? 0 : audience.list.state.revision - (sent?.revision ?? 0)
    }
}
