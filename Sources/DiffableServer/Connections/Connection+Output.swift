import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import NIOCore

// Writing the output that the session selects.

extension Connection {
    func send(_ lines: consuming ByteWriter) {
        lines.withUnsafeBytes(send)
        session.outbox.reuse(lines)
    }

    /// Whether the client's subscriptions have received everything that an answer waits for.
    func isPassed(_ barrier: Outbox.Barrier) -> Bool {
        subscriptions.allSatisfy { $0.isSettled(for: barrier) }
            && listsSubscriptions.allSatisfy { $0.isSettled(for: barrier) }
    }

    /// Whether the read request that is waiting can be carried out. A result that exists already is used even beyond
    /// the memory limit.
    func mayCarryOut(_ request: Request, _ id: RequestID) -> Bool {
        if !session.hasSocket { return true }
        guard !quota.isOverfull || longAnswer?.line != nil || preparation?.found != nil else { return false }
        if case .setView(let change) = request { return prepare(change, id) }
        return prepare(request, id)
    }

    func carryOutRead(_ request: Request, _ id: RequestID) {
        // The client has disconnected, so a pure read needs no answer.
        lengthAwaitingTurn = 0
        guard session.hasSocket || request.isForAskers else { return }
        carryOut(request, id: id)
        endPreparation()
    }

    /// Whether nothing is left to send to subscriptions after the client's last request.
    var areSubscriptionsFinished: Bool {
        numberOfSubscriptions == 0
            || session.isDraining && hub.isQuiet && subscriptions.allSatisfy(\.isSettled)
                && listsSubscriptions.allSatisfy(\.isUpToDate)
    }

    func write(_ line: OpenLine) {
        switch line {
        case .snapshot(let reply, let snapshot): writePage(of: reply, snapshot)
        case .reply(let reply): writePage(of: reply)
        case .longAnswer(let line, let written): writePage(of: line, from: written)
        case .backup(let backup): writeLine(of: backup)
        case .notification(let number): writePage(ofSubscription: number)
        }
    }

    // MARK: Subscriptions

    /// Sends the next line of a subscription. Returns false if there is none, or if it has to wait for other
    /// connections.
    func writeLineOfSubscription() -> Bool {
        if listsSubscriptions.isEmpty { return writeLineOfList() }
        isTurnOfLists.toggle()
        return isTurnOfLists ? writeLineOfLists() || writeLineOfList() : writeLineOfList() || writeLineOfLists()
    }

    private func writeLineOfList() -> Bool {
        for turn in subscriptions.indices {
            let position = (nextSubscription + turn) % subscriptions.count
            let subscription = subscriptions[position]
            if subscription.isBehind, let effects = session.takeRoomForPage(&hub.turns, at: .now()) {
                carryOut(effects)
                return false
            }
            guard let line = subscription.nextLine() else { continue }
            nextSubscription = position + 1
            send(line, of: subscription)
            return true
        }
        return false
    }

    private func writePage(ofSubscription number: Int) {
        guard let subscription = subscriptions.first(where: { $0.number == number }), let page = subscription.nextLine()
        else { preconditionFailure("a line that was begun has an end") }
        send(page, of: subscription)
    }

    private func send(_ line: Subscription.Line, of subscription: Subscription) {
        if subscription.isInsideLine { session.openLine = .notification(subscription.number) }
        if subscription.hasEnded, let position = subscriptions.firstIndex(where: { $0 === subscription }) {
            subscriptions.remove(at: position)
            if nextSubscription > position { nextSubscription -= 1 }
        }
        switch line {
        case .own(let line):
            subscription.noteDelivery(of: line.count)
            line.withUnsafeBytes(send)
        case .shared(let page):
            subscription.noteDelivery(of: page.bytes.count)
            send(page)
        }
    }

    // MARK: Long answers

    private func writeLine(of backup: BackupWriter) {
        var backup = backup
        var line = ByteWriter()
        // The lines must not exceed the length that `restore` accepts.
        let lengthMax = min(lineLengthMax, hub.options.limits.lineLengthMax)
        if backup.writeLine(into: &line, lineLengthMax: lengthMax) == .more { session.openLine = .backup(backup) }
        line.withUnsafeBytes(send)
    }

    private func writePage(of reply: SnapshotReplyWriter, _ snapshot: Snapshot) {
        var reply = reply
        var page = ByteWriter()
        if reply.write(into: &page, upTo: UpdateRemainder.pageLength) == .more {
            session.openLine = .snapshot(reply, of: snapshot)
            hub.slowReaders.scheduleMeasuring()
        } else {
            hub.background.free(snapshot)
        }
        page.withUnsafeBytes(send)
    }

    func writePage(of reply: LongReplyWriter) {
        var reply = reply
        var page = ByteWriter()
        if reply.write(into: &page, upTo: UpdateRemainder.pageLength) == .more { session.openLine = .reply(reply) }
        page.withUnsafeBytes(send)
    }

    private func writePage(of line: ByteWriter, from start: Int) {
        let end = min(start + UpdateRemainder.pageLength, line.count)
        if end < line.count {
            session.openLine = .longAnswer(line, written: end)
        } else {
            hub.background.free(line, size: line.count / 64)
        }
        line.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    /// Drops the rest of the line, because the client has disconnected.
    func endOpenLine() {
        if case .snapshot(_, let snapshot)? = session.openLine { hub.background.free(snapshot) }
        session.openLine = nil
    }

    /// Memory of the line that is being written, or of the finished reply, in bytes.
    var openLineLength: Int {
        switch session.openLine {
        case .longAnswer(let line, _)?: line.count
        case .reply(let reply)?: reply.lengthHeld
        case .snapshot?: lengthOfRows
        default: longAnswer?.line?.count ?? (peer.isPrivileged ? 0 : preparation?.lengthFound ?? 0)
        }
    }
}

extension Request {
    /// Whether other clients wait for the result.
    fileprivate var isForAskers: Bool {
        switch self {
        case .answer, .unhandle: true
        default: false
        }
    }
}
