import DiffableProtocol
import DiffableStore

// Where a subscription stands, as others see it.

extension Subscription {
    /// Where it goes on from.
    enum Start {
        case nothing(NotificationWriter.ResetReason)
        case sent(DeliveredState, isSameView: Bool)
    }

    /// Whether an answer that waits for what came of it need not wait for this one any more.
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
            // Another life of the list than the one that it follows is over, and it has heard so.
            let isOtherLife = revision == .max || audience.list.state.epoch != barrier.epoch
            if !audience.list.isDeleted, isOtherLife { return true }
            return isSettled(upTo: revision, in: audience)
        }
    }

    /// Whoever wants to be sent little is not waited for where that is only polite.
    private func isPassedOver(by barrier: Outbox.Barrier) -> Bool {
        machine.pace?.minInterval != nil && !barrier.includesPaced
    }

    /// Whether it may have much to be sent, as far as can be told at a glance.
    var isBehind: Bool {
        if machine.rest != .nothing { return true }
        guard machine.state == .following, let audience else { return false }
        return sent?.shown !== audience.shown
    }

    /// Whether it has been sent all there is. Nothing is left to send to one that has ended.
    var isSettled: Bool {
        switch machine.state {
        case .ended: return true
        case .waiting: return !machine.owesDeletion
        case .revoked, .preparing: return false
        case .following: return audience.map { isSettled(upTo: $0.list.state.revision, in: $0) } ?? false
        }
    }

    /// Whether it has been sent all that its view shows up to a revision.
    private func isSettled(upTo revision: Int, in audience: Audience) -> Bool {
        guard let sent, machine.rest == .nothing, !machine.owesView, !audience.list.isDeleted else { return false }
        if sent.revision >= revision { return true }
        audience.list.update()
        // What changed since did not change what is shown.
        return sent.shown === audience.shown && audience.state.revision >= revision
    }

    /// How its lines are written.
    var form: LineForm {
        switch request.form {
        case .operations: .operations(lineLengthMax: connection.lineLengthMax)
        case .snapshots: .snapshots
        case .patches: .patches
        }
    }

    /// How many revisions it has still to be sent; nil when there is no list.
    var revisionsBehind: Int? {
        guard let audience else { return nil }
        return isSettled ? 0 : audience.list.state.revision - (sent?.revision ?? 0)
    }
}
