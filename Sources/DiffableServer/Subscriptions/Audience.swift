import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import NIOCore

/// Those who follow one list, and the lines that they share.
///
/// An audience belongs to one life of a list. Subscribers pull: when a socket can take more, its subscription asks for
/// what leads from the revision it was sent last to the current one. Those who stand alike get the same buffer, which
/// is made for the first of them. So nothing is queued for anybody, and a slow subscriber holds one old snapshot.
final class Audience {
    /// The committed state.
    private(set) var state: ListState
    private(set) var isDeleted = false
    private(set) var members: [ObjectIdentifier: Subscription] = [:]
    /// Towards the current revision.
    private var encodings: [Standing: Encoding] = [:]
    /// The transaction that led to the current revision, if it was one alone.
    private var lastStep: (from: Int, Commit.Step)?

    /// How many encodings are kept for those who might stand alike: subscribers that fell behind each in its own place
    /// share with nobody, and what is kept for them would only cost memory.
    private static let encodingsMax = 16

    /// What decides what a subscriber gets next.
    private struct Standing: Hashable {
        /// The revision that was sent last; nil before the first.
        var revision: Int?
        var lineLengthMax: Int
    }

    /// The first line of a group but for the subscription's number, and what is left to write after it.
    private struct Encoding {
        var method: NotificationWriter.Kind
        var line: [UInt8]
        var rest: NotificationWriter?
        /// The whole line as it was last made. Most clients have one subscription, so most share it.
        var last: (subscription: Int, line: ByteBuffer)?
    }

    /// The first line of a group, and what is left to write after it.
    struct Delivery {
        var line: ByteBuffer
        var rest: NotificationWriter?
    }

    init(_ state: ListState) { self.state = state }

    func add(_ subscription: Subscription) { members[ObjectIdentifier(subscription)] = subscription }

    func remove(_ subscription: Subscription) { members[ObjectIdentifier(subscription)] = nil }

    /// Takes over what was committed, and tells all members.
    func advance(by commit: Commit) {
        encodings.removeAll(keepingCapacity: true)
        lastStep = nil
        switch commit.event {
        case .created: break
        case .changed(let from, let step):
            if let step { lastStep = (from, step) }
            state = commit.state
        case .deleted: isDeleted = true
        }
        for member in members.values { member.isBehind() }
    }

    /// What a subscriber is sent next, from the state that it was sent last.
    func delivery(from sent: ListState?, subscription: Int, lineLengthMax: Int) -> Delivery {
        let standing = Standing(revision: sent?.revision, lineLengthMax: lineLengthMax)
        var encoding = encodings[standing] ?? encode(from: sent, lineLengthMax: lineLengthMax)
        if let (number, line) = encoding.last, number == subscription {
            return Delivery(line: line, rest: encoding.rest)
        }
        var bytes = ByteWriter()
        NotificationWriter.writePrefix(encoding.method, subscription: subscription, into: &bytes)
        bytes.append(encoding.line)
        let line = ByteBuffer(bytes: bytes.bytes)
        encoding.last = (subscription, line)
        if encodings.count >= Self.encodingsMax { encodings.removeAll() }
        encodings[standing] = encoding
        return Delivery(line: line, rest: encoding.rest)
    }

    private func encode(from sent: ListState?, lineLengthMax: Int) -> Encoding {
        if let line = journalled(from: sent, lineLengthMax: lineLengthMax) {
            return Encoding(method: .changes, line: line)
        }
        var writer = notification(from: sent)
        var bytes = ByteWriter()
        let progress = writer.writeRest(into: &bytes, lineLengthMax: lineLengthMax)
        return Encoding(method: writer.method, line: bytes.bytes, rest: progress == .done ? nil : writer)
    }

    /// The transaction that led from there to here, if it was one alone.
    private func step(from sent: ListState) -> Commit.Step? {
        guard let (from, step) = lastStep, from == sent.revision, state.lastReloadRevision <= from else { return nil }
        return step
    }

    /// What was journalled for one transaction and what is pushed for it are the same bytes, made once.
    private func journalled(from sent: ListState?, lineLengthMax: Int) -> [UInt8]? {
        guard let sent, let encoded = step(from: sent)?.encoded else { return nil }
        return NotificationWriter.rest(
            ofChangesOf: state.name, from: sent.revision, to: state.revision, encoded: encoded,
            lineLengthMax: lineLengthMax)
    }

    private func notification(from sent: ListState?) -> NotificationWriter {
        guard let sent else { return reset(.initial) }
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
