import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import NIOCore

/// What one subscriber has been sent of one list.
///
/// `nextLine` is called whenever its socket can take a line, and never otherwise.
final class Subscription {
    /// Counted from 1 on each connection.
    let number: Int
    let audience: Audience
    private let duration: Request.Subscribe.Duration
    private unowned let connection: Connection
    /// The state that the last finished group led to.
    private var sent: ListState?
    /// A group of which not all lines are written.
    private var group: Group?
    private(set) var hasEnded = false

    private struct Group {
        var writer: NotificationWriter
        var target: ListState
    }

    init(number: Int, to audience: Audience, duration: Request.Subscribe.Duration, of connection: Connection) {
        self.number = number
        self.audience = audience
        self.duration = duration
        self.connection = connection
    }

    /// Its audience moved on.
    func isBehind() { connection.isDue() }

    /// Whether it has been sent everything up to a revision. Nothing is left to send to one that has ended.
    func isSettled(upTo revision: Int) -> Bool {
        hasEnded || group == nil && !audience.isDeleted && (sent?.revision ?? -1) >= revision
    }

    /// Whether it has been sent all there is.
    var isSettled: Bool { isSettled(upTo: audience.state.revision) }

    /// The next line, or nil when there is nothing to say.
    func nextLine(lineLengthMax: Int) -> ByteBuffer? {
        if hasEnded { return nil }
        if let group { return continued(group, lineLengthMax) }
        if audience.isDeleted { return farewell() }
        let target = audience.state
        if let sent, sent.revision == target.revision { return nil }
        let delivery = audience.delivery(from: sent, subscription: number, lineLengthMax: lineLengthMax)
        if let rest = delivery.rest {
            group = Group(writer: rest, target: target)
        } else {
            finish(target)
        }
        return delivery.line
    }

    private func continued(_ group: Group, _ lineLengthMax: Int) -> ByteBuffer {
        var group = group
        self.group = nil
        var bytes = ByteWriter()
        NotificationWriter.writePrefix(group.writer.method, subscription: number, into: &bytes)
        if group.writer.writeRest(into: &bytes, lineLengthMax: lineLengthMax) == .done {
            finish(group.target)
        } else {
            self.group = group
        }
        return ByteBuffer(bytes: bytes.bytes)
    }

    private func finish(_ target: ListState) {
        sent = target
        if duration == .once { end() }
    }

    private func farewell() -> ByteBuffer {
        var bytes = ByteWriter()
        NotificationWriter.writeListDeleted(audience.state.name, subscription: number, into: &bytes)
        end()
        return ByteBuffer(bytes: bytes.bytes)
    }

    /// Nothing is sent any more.
    func end() {
        hasEnded = true
        audience.remove(self)
        connection.hub.leave(audience)
    }
}
