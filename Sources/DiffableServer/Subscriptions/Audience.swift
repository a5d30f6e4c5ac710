import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

/// Those who follow one list, and the lines that they share.
///
/// An audience belongs to one life of a list. Subscribers pull: when a socket can take more, its subscription is sent
/// what leads from the revision it was sent last to the current one. Those who stand alike get the same bytes, which
/// are made for the first of them. So nothing is queued for anybody, and a slow subscriber holds one old snapshot.
///
/// Nearly all subscribers keep up: they were sent all there was at the end of the turn before, and their sockets are
/// not full. `serve` brings these to the current state in one loop; the others go at their own pace, each when its
/// connection is served.
final class Audience {
    /// The committed state.
    private(set) var state: ListState
    private(set) var isDeleted = false
    /// In no order.
    private(set) var members: [Subscription] = []
    /// What those who keep up were sent last.
    private var served: ListState
    /// The end of this turn is waited for.
    private var isDue = false
    /// Towards the current revision.
    private var lines: [Standing: FirstLine] = [:]
    /// The transaction that led to the current revision, if it was one alone.
    private var lastStep: (from: Int, Commit.Step)?
    /// Of the line that was made last, in bytes: the next one is about as long.
    private var lineLengthUsual = 0

    /// How many lines are kept for those who might stand alike: subscribers that fell behind each in its own place
    /// share with nobody, and what is kept for them would only cost memory.
    private static let linesMax = 16

    /// What decides what a subscriber gets next, but for its number.
    private struct Standing: Hashable {
        /// The revision that was sent last, or why there is none.
        var start: Start
        var lineLengthMax: Int
    }

    private enum Start: Hashable {
        case revision(Int)
        /// From nothing; why is said in the `reset`.
        case nothing(NotificationWriter.ResetReason)
    }

    init(_ state: ListState) {
        self.state = state
        self.served = state
    }

    // MARK: Members

    func add(_ subscription: Subscription) {
        subscription.position = members.count
        members.append(subscription)
    }

    func remove(_ subscription: Subscription) {
        guard let position = subscription.position else { return }
        subscription.position = nil
        let last = members.removeLast()
        if last === subscription { return }
        members[position] = last
        last.position = position
    }

    // MARK: Turns

    /// Takes over what was committed; true when that makes the audience due at the end of the turn.
    func advance(by commit: Commit) -> Bool {
        if !lines.isEmpty { lines.removeAll(keepingCapacity: true) }
        lastStep = nil
        switch commit.event {
        case .created: break
        case .changed(let from, let step):
            if let step { lastStep = (from, step) }
            state = commit.state
        case .deleted: isDeleted = true
        }
        if isDue { return false }
        isDue = true
        return true
    }

    /// Sends those who keep up what there is, and lets the others know of it.
    func serve() {
        isDue = false
        let from = served
        served = state
        var position = members.count
        while let next = memberToServe(before: &position, from) {
            let line = firstLine(
                from: from, resetReason: .initial, to: next.number, lineLengthMax: next.connection.lineLengthMax)
            if line.rest == nil {
                line.bytes.withUnsafeBytes { bytes in
                    send(bytes, to: next)
                    share(line, bytes, before: &position, from)
                }
            } else {
                // Several lines are written one by one, as the socket takes them.
                next.isBehind()
            }
        }
    }

    /// Goes through the members before a position, backwards, to the next who keeps up. Whoever closes while it is
    /// served leaves its place to one that has been served already.
    @inline(__always)
    private func memberToServe(before position: inout Int, _ from: ListState) -> Subscription? {
        while position > 0 {
            position -= 1
            guard position < members.count else { continue }
            let member = members[position]
            if !isDeleted, member.keepsUp(from: from) { return member }
            member.isBehind()
        }
        return nil
    }

    /// Sends a line to all those for whom it is the same, up to the first for whom it is another.
    private func share(
        _ line: FirstLine, _ bytes: UnsafeRawBufferPointer, before position: inout Int, _ from: ListState
    ) {
        let (subscription, lineLengthMax) = (line.subscription, line.lineLengthMax)
        while let member = memberToServe(before: &position, from) {
            guard member.number == subscription, member.connection.lineLengthMax == lineLengthMax else {
                position += 1
                return
            }
            send(bytes, to: member)
        }
    }

    @inline(__always)
    private func send(_ bytes: UnsafeRawBufferPointer, to member: Subscription) {
        member.sent = served
        member.connection.send(bytes)
    }

    // MARK: Lines

    /// What a subscriber is sent next, from the state that it was sent last; the reason is for one that was sent none.
    func firstLine(
        from sent: ListState?, resetReason: NotificationWriter.ResetReason, to subscription: Int, lineLengthMax: Int
    ) -> FirstLine {
        let standing = Standing(
            start: sent.map { .revision($0.revision) } ?? .nothing(resetReason), lineLengthMax: lineLengthMax)
        let known = lines[standing]
        if let known, known.subscription == subscription { return known }
        let line =
            known?.addressed(to: subscription)
            ?? made(from: sent, resetReason, to: subscription, lineLengthMax: lineLengthMax)
        if lines.count >= Self.linesMax { lines.removeAll() }
        lines[standing] = line
        return line
    }

    private func made(
        from sent: ListState?, _ resetReason: NotificationWriter.ResetReason, to subscription: Int, lineLengthMax: Int
    ) -> FirstLine {
        let line =
            journalled(from: sent, to: subscription, lineLengthMax: lineLengthMax)
            ?? written(notification(from: sent, resetReason), to: subscription, lineLengthMax: lineLengthMax)
        lineLengthUsual = line.bytes.count
        return line
    }

    private func written(
        _ notification: NotificationWriter, to subscription: Int, lineLengthMax: Int
    ) -> FirstLine {
        FirstLine(
            notification.method, to: subscription, lineLengthMax: lineLengthMax, capacity: lineLengthUsual
        ) { writer in
            var rest = notification
            return rest.writeRest(into: &writer, lineLengthMax: lineLengthMax) == .done ? nil : rest
        }
    }

    /// What was journalled for one transaction and what is pushed for it are the same bytes, made once.
    private func journalled(from sent: ListState?, to subscription: Int, lineLengthMax: Int) -> FirstLine? {
        guard let sent, let encoded = step(from: sent)?.encoded,
            NotificationWriter.isOneLine(encoded: encoded, lineLengthMax: lineLengthMax)
        else { return nil }
        let capacity = NotificationWriter.headLengthMax + encoded.count
        return FirstLine(.changes, to: subscription, lineLengthMax: lineLengthMax, capacity: capacity) { writer in
            NotificationWriter.writeRest(
                ofChangesOf: state.name, from: sent.revision, to: state.revision, encoded: encoded, into: &writer)
            return nil
        }
    }

    /// The transaction that led from there to here, if it was one alone.
    private func step(from sent: ListState) -> Commit.Step? {
        guard let (from, step) = lastStep, from == sent.revision, state.lastReloadRevision <= from else { return nil }
        return step
    }

    private func notification(
        from sent: ListState?, _ resetReason: NotificationWriter.ResetReason
    ) -> NotificationWriter {
        guard let sent else { return reset(resetReason) }
        if state.lastReloadRevision > sent.revision { return reset(.reload) }
        let operations = step(from: sent)?.operations ?? state.snapshot.difference(from: sent.snapshot)
        return NotificationWriter(
            changesOf: state.name, from: sent.revision, to: state.revision, operations: operations)
    }

    private func reset(_ reason: NotificationWriter.ResetReason) -> NotificationWriter {
        NotificationWriter(
            resetOf: state.name, epoch: state.epoch, revision: state.revision, reason: reason, snapshot: state.snapshot)
    }
}
