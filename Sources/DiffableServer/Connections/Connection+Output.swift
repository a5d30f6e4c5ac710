import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import NIOCore

extension Connection {
    /// A line that is written page by page, as the socket takes it.
    // Indirect, because nearly always there is none, and that is looked at for each delivery.
    indirect enum OpenLine {
        case reply(SnapshotReplyWriter, of: Snapshot)
        /// It is there as a whole; up to where it is written, in bytes.
        case longAnswer(ByteWriter, written: Int)
        /// Several lines, which stay together.
        case backup(BackupWriter)
        /// The subscription writes it.
        case notification(Subscription)
    }

    /// Writes as long as the socket takes it and the turn lasts, answers first.
    func write() {
        if mayLeaveAnswers { _ = sendAnswers() }
        while mayWrite {
            guard step() else { return }
            if isTurnOver { return postpone() }
            beginTurn()
        }
    }

    /// Writes the next lines or page; false when there is nothing to write now.
    private func step() -> Bool {
        switch openLine {
        case .reply(let reply, let snapshot): writePage(of: reply, snapshot)
        case .longAnswer(let line, let written): writePage(of: line, from: written)
        case .backup(let backup): writeLine(of: backup)
        case .notification(let subscription): writePage(of: subscription)
        case nil: return stepOutbox() || stepSubscriptions()
        }
        return true
    }

    private func stepOutbox() -> Bool {
        while case .line(_, let barrier?)? = outbox.first, isPassed(barrier) { outbox.release() }
        if sendAnswers() { return true }
        // What is found already is kept anyway.
        guard case .read(let request, let id)? = outbox.first, !account.isOverfull || longAnswer?.line != nil,
            isPrepared(request, id)
        else { return false }
        outbox.removeRead()
        carryOut(request, id: id)
        endPreparation()
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
        subscriptions.allSatisfy { $0.isSettled(for: barrier) }
    }

    private func stepSubscriptions() -> Bool {
        for turn in subscriptions.indices {
            let position = (nextSubscription + turn) % subscriptions.count
            let subscription = subscriptions[position]
            guard let line = subscription.nextLine() else { continue }
            nextSubscription = position + 1
            send(line, of: subscription)
            return true
        }
        return false
    }

    private func writePage(of subscription: Subscription) {
        openLine = nil
        guard let page = subscription.nextLine() else { preconditionFailure("a line that was begun has an end") }
        send(page, of: subscription)
    }

    /// Sends a line of a subscription, or a page of one.
    private func send(_ line: ByteWriter, of subscription: Subscription) {
        if subscription.isInsideLine { openLine = .notification(subscription) }
        if subscription.hasEnded, let position = subscriptions.firstIndex(where: { $0 === subscription }) {
            subscriptions.remove(at: position)
            if nextSubscription > position { nextSubscription -= 1 }
        }
        subscription.noteDelivery(of: line.count)
        line.withUnsafeBytes(send)
    }

    private func writeLine(of backup: BackupWriter) {
        openLine = nil
        var backup = backup
        var line = ByteWriter()
        // As long as it may be when it comes back.
        let lengthMax = min(lineLengthMax, hub.options.limits.lineLengthMax)
        if backup.writeLine(into: &line, lineLengthMax: lengthMax) == .more { openLine = .backup(backup) }
        line.withUnsafeBytes(send)
    }

    private func writePage(of reply: SnapshotReplyWriter, _ snapshot: Snapshot) {
        openLine = nil
        var reply = reply
        var page = ByteWriter()
        if reply.write(into: &page, upTo: LongLine.pageLength) == .more {
            openLine = .reply(reply, of: snapshot)
        } else {
            hub.background.letGo(of: snapshot)
        }
        page.withUnsafeBytes(send)
    }

    private func writePage(of line: ByteWriter, from start: Int) {
        let end = min(start + LongLine.pageLength, line.count)
        openLine = end < line.count ? .longAnswer(line, written: end) : nil
        line.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    /// Nobody reads the rest of it.
    func endOpenLine() {
        if case .reply(_, let snapshot)? = openLine { hub.background.letGo(of: snapshot) }
        openLine = nil
    }

    /// What is kept of it, or for the next one, in bytes.
    var openLineLength: Int {
        if case .longAnswer(let line, _)? = openLine { line.count } else { longAnswer?.line?.count ?? 0 }
    }
}
