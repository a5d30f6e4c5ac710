import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import NIOCore

extension Connection {
    /// A page of a long reply, in bytes.
    private static let pageLength = 64 << 10

    /// Writes as long as the socket takes it and the turn lasts, answers first.
    func write() {
        if mayLeaveAnswers { _ = sendAnswers() }
        var end: NIODeadline?
        while mayWrite {
            guard step() else { return }
            if let end {
                if NIODeadline.now() > end { return postpone() }
            } else {
                end = .now() + Self.turnMax
            }
        }
    }

    /// Writes the next lines or page; false when there is nothing to write now.
    private func step() -> Bool {
        if snapshotReply != nil {
            writeSnapshotPage()
            return true
        }
        return stepOutbox() || stepSubscriptions()
    }

    private func stepOutbox() -> Bool {
        while case .line(_, let barrier?)? = outbox.first, isPassed(barrier) { outbox.release() }
        if sendAnswers() { return true }
        guard case .read(let request, let id)? = outbox.first else { return false }
        outbox.removeRead()
        carryOut(request, id: id)
        // Lines behind it were waiting for it.
        readLines()
        return true
    }

    private func sendAnswers() -> Bool {
        guard outbox.hasReadyLines else { return false }
        let lines = outbox.takeReadyLines()
        lines.withUnsafeBytes(send)
        outbox.reuse(lines)
        return true
    }

    private func isPassed(_ barrier: Outbox.Barrier) -> Bool {
        subscriptions.allSatisfy { subscription in
            subscription.audience.list.state.name != barrier.list || subscription.isSettled(upTo: barrier.revision)
        }
    }

    private func stepSubscriptions() -> Bool {
        for turn in subscriptions.indices {
            let position = (nextSubscription + turn) % subscriptions.count
            let subscription = subscriptions[position]
            guard let line = subscription.nextLine() else { continue }
            if subscription.hasEnded {
                subscriptions.remove(at: position)
                nextSubscription = position
            } else {
                nextSubscription = position + 1
            }
            line.withUnsafeBytes(send)
            return true
        }
        return false
    }

    private func writeSnapshotPage() {
        guard var reply = snapshotReply else { return }
        snapshotReply = nil
        var page = ByteWriter()
        if reply.write(into: &page, upTo: Self.pageLength) == .more { snapshotReply = reply }
        page.withUnsafeBytes(send)
    }
}
