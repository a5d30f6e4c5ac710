import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

/// What one client asks of a handler, until it is answered: once, out of the order of the client's requests.
final class Ask {
    let connection: Connection
    let list: ListName
    let sort: Sort
    private let id: RequestID
    private let method: Method?
    /// Of the request, in bytes.
    private let length: Int
    /// When it is waited for no more.
    let deadline: DeadlineTimers<Ask>.Time
    /// As the machine knows it, once it does.
    var number: HandlerMachine.AskID?
    /// Of what is proposed, as long as something may come of it.
    private var consideration: Consideration?
    private var isAnswered = false

    enum Sort {
        case perform
        case expand(ItemID)
        case propose(Request.Propose)
    }

    init(
        _ sort: Sort, of list: ListName, id: RequestID, length: Int, deadline: DeadlineTimers<Ask>.Time,
        by connection: Connection
    ) {
        self.sort = sort
        self.list = list
        self.id = id
        self.length = length
        self.deadline = deadline
        self.connection = connection
        method = connection.method
        connection.session.unordered.awaitReply()
        connection.quota.noteAsked(length)
    }

    /// It was looked at.
    func note(_ consideration: Consideration?) { self.consideration = consideration }

    /// It is carried out.
    func takeConsideration() -> Consideration? {
        defer { consideration = nil }
        return consideration
    }

    /// - Parameter barrier: what the client's subscriptions are sent before.
    func give(_ reply: Reply, after barrier: Outbox.Barrier?) {
        end(after: barrier) { [id] in reply.write(id: id, into: &$0) }
    }

    func refuse(_ error: WireError, after barrier: Outbox.Barrier? = nil) {
        if connection.context != nil { connection.noteRefusal(error, of: method) }
        end(after: barrier) { [id] in error.write(id: id, into: &$0) }
    }

    /// Its connection has ended.
    func abandon() { end(after: nil) { _ in } }

    private func forget(_ consideration: Consideration) {
        let list = list
        connection.hub.store.assumeIsolated { $0.forget(consideration, of: list) }
    }

    private func end(after barrier: Outbox.Barrier?, _ write: (inout ByteWriter) -> Void) {
        if isAnswered { return }
        isAnswered = true
        if let consideration { forget(consideration) }
        connection.quota.noteAsked(-length)
        guard connection.context != nil else { return }
        connection.session.unordered.endAwaiting()
        if let barrier, connection.numberOfSubscriptions > 0 {
            var line = ByteWriter()
            write(&line)
            connection.session.unordered.append(reply: line, after: barrier)
        } else {
            connection.session.outbox.appendUnordered(write)
        }
        connection.markDue()
    }
}
