import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

/// What one subscriber has been sent of one list, through one view at a time.
///
/// One that keeps up is sent lines by its audience, with all the others. For one that does not, `nextLine` is called
/// whenever its socket can take a line, and never otherwise.
final class Subscription {
    /// Counted from 1 on each connection.
    let number: Int
    private(set) var audience: Audience
    private let duration: Request.Subscribe.Duration
    let connection: Connection
    /// What the last finished group led to, on this connection or on an earlier one.
    var sent: Sent?
    /// It got another view after that: a group is owed that leads to it, even when both show the same.
    private var hasNewView = false
    /// Why it begins with a `reset`, if it does.
    private let resetReason: NotificationWriter.ResetReason
    /// A group of which not all lines are written.
    private var group: Group?
    private(set) var hasEnded = false
    /// Among the audience's members, for the audience; nil when it is none.
    var position: Int?

    private struct Group {
        var writer: NotificationWriter
        var target: Sent
    }

    init(
        number: Int, to audience: Audience, from start: Start, duration: Request.Subscribe.Duration,
        of connection: Connection
    ) {
        self.number = number
        self.audience = audience
        self.duration = duration
        self.connection = connection
        switch start {
        case .nothing(let reason): (sent, resetReason) = (nil, reason)
        case .sent(let sent): (self.sent, resetReason) = (sent, .initial)
        }
    }

    /// Where a subscription goes on from.
    enum Start {
        case nothing(NotificationWriter.ResetReason)
        case sent(Sent)
    }

    /// Goes on with another view of the list. A group that was begun is finished before.
    func show(_ view: View) {
        hasNewView = true
        let old = audience
        let new = old.list.audience(for: view, besides: old)
        guard new !== old else { return }
        audience = new
        new.add(self, insteadOf: old)
    }

    // MARK: With all others

    /// Whether that was what it was sent last, and its socket can take a line that leads on from there.
    func keepsUp(from state: Sent) -> Bool {
        guard let sent, sent.shown === state.shown, sent.revision == state.revision else { return false }
        return group == nil && !hasNewView && connection.mayWriteLine
    }

    /// Its audience moved on without it: it follows as soon as the socket can take a line.
    func isBehind() {
        if connection.mayWrite { connection.isDue() }
    }

    // MARK: At its own pace

    /// Whether it has been sent all that its view shows up to a revision. Nothing is left to send to one that has ended.
    func isSettled(upTo revision: Int) -> Bool {
        if hasEnded { return true }
        guard let sent, group == nil, !hasNewView, !audience.list.isDeleted else { return false }
        if sent.revision >= revision { return true }
        audience.list.update()
        // What changed since did not change what is shown.
        return sent.shown === audience.shown && audience.list.shownState.revision >= revision
    }

    /// Whether it has been sent all there is.
    var isSettled: Bool { isSettled(upTo: audience.list.state.revision) }

    /// The next line, or nil when there is nothing to say.
    func nextLine() -> ByteWriter? {
        if hasEnded { return nil }
        if let group { return continued(group) }
        if audience.list.isDeleted { return farewell() }
        audience.list.update()
        let target = Sent(shown: audience.shown, revision: audience.list.shownState.revision)
        if let sent, sent.shown === target.shown, !hasNewView { return nil }
        let line = audience.firstLine(
            from: sent, resetReason: resetReason, to: number, lineLengthMax: connection.lineLengthMax)
        // This group leads to it; another view that comes before its end has a group of its own.
        hasNewView = false
        if let rest = line.rest {
            group = Group(writer: rest, target: target)
        } else {
            finish(target)
        }
        return line.bytes
    }

    private func continued(_ group: Group) -> ByteWriter {
        var group = group
        self.group = nil
        var line = ByteWriter()
        NotificationWriter.writePrefix(group.writer.method, subscription: number, into: &line)
        if group.writer.writeRest(into: &line, lineLengthMax: connection.lineLengthMax) == .done {
            finish(group.target)
        } else {
            self.group = group
        }
        return line
    }

    private func finish(_ target: Sent) {
        sent = target
        if duration == .once { end() }
    }

    private func farewell() -> ByteWriter {
        var line = ByteWriter()
        NotificationWriter.writeListDeleted(audience.list.state.name, subscription: number, into: &line)
        end()
        return line
    }

    /// Nothing is sent any more.
    func end() {
        hasEnded = true
        audience.remove(self)
        connection.hub.leave(audience.list)
    }
}
