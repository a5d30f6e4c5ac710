import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

/// What one subscriber has been sent of one list.
///
/// One that keeps up is sent lines by its audience, with all the others. For one that does not, `nextLine` is called
/// whenever its socket can take a line, and never otherwise.
final class Subscription {
    /// Counted from 1 on each connection.
    let number: Int
    let audience: Audience
    private let duration: Request.Subscribe.Duration
    let connection: Connection
    /// The state that the last finished group led to, on this connection or on an earlier one.
    var sent: ListState?
    /// Why it begins with a `reset`, if it does.
    private let resetReason: NotificationWriter.ResetReason
    /// A group of which not all lines are written.
    private var group: Group?
    private(set) var hasEnded = false
    /// Among the audience's members, for the audience; nil when it is none.
    var position: Int?

    private struct Group {
        var writer: NotificationWriter
        var target: ListState
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
        case .state(let state): (sent, resetReason) = (state, .initial)
        }
    }

    /// Where a subscription goes on from.
    enum Start {
        case nothing(NotificationWriter.ResetReason)
        case state(ListState)
    }

    // MARK: With all others

    /// Whether it was sent a state last, and its socket can take a line that leads on from there.
    func keepsUp(from state: ListState) -> Bool { sent === state && group == nil && connection.mayWriteLine }

    /// Its audience moved on without it: it follows as soon as the socket can take a line.
    func isBehind() {
        if connection.mayWrite { connection.isDue() }
    }

    // MARK: At its own pace

    /// Whether it has been sent everything up to a revision. Nothing is left to send to one that has ended.
    func isSettled(upTo revision: Int) -> Bool {
        hasEnded || group == nil && !audience.isDeleted && (sent?.revision ?? -1) >= revision
    }

    /// Whether it has been sent all there is.
    var isSettled: Bool { isSettled(upTo: audience.state.revision) }

    /// The next line, or nil when there is nothing to say.
    func nextLine() -> ByteWriter? {
        if hasEnded { return nil }
        if let group { return continued(group) }
        if audience.isDeleted { return farewell() }
        let target = audience.state
        if let sent, sent.revision == target.revision { return nil }
        let line = audience.firstLine(
            from: sent, resetReason: resetReason, to: number, lineLengthMax: connection.lineLengthMax)
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

    private func finish(_ target: ListState) {
        sent = target
        if duration == .once { end() }
    }

    private func farewell() -> ByteWriter {
        var line = ByteWriter()
        NotificationWriter.writeListDeleted(audience.state.name, subscription: number, into: &line)
        end()
        return line
    }

    /// Nothing is sent any more.
    func end() {
        hasEnded = true
        audience.remove(self)
        connection.hub.leave(audience)
    }
}
