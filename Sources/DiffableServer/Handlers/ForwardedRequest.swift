import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

/// A client's request to a handler. It is answered once, independent of the order of the client's requests.
final class ForwardedRequest {
    let connection: Connection
    let list: ListName
    let kind: Kind
    private let id: RequestID
    private let method: Method?
    /// The memory of the request, in bytes.
    private let length: Int
    /// The end of the wait for an answer.
    let deadline: DeadlineTimers<ForwardedRequest>.Time
    /// The machine's number for it, once it has one.
    var number: HandlerMachine.AskID?
    /// The evaluation of a proposal, while the proposal may still be carried out.
    private var evaluation: ProposalEvaluationID?
    private var isAnswered = false

    enum Kind {
        case perform
        case expand(ItemID)
        case propose(Request.Propose)
    }

    init(
        _ kind: Kind, of list: ListName, id: RequestID, length: Int, deadline: DeadlineTimers<ForwardedRequest>.Time,
        by connection: Connection
    ) {
        self.kind = kind
        self.list = list
        self.id = id
        self.length = length
        self.deadline = deadline
        self.connection = connection
        method = connection.method
        connection.session.unordered.awaitReply()
        connection.quota.countHandlerRequest(length)
    }

    func note(_ evaluation: ProposalEvaluationID?) { self.evaluation = evaluation }

    /// Takes the evaluation when the proposal is carried out.
    func takeEvaluation() -> ProposalEvaluationID? {
        defer { evaluation = nil }
        return evaluation
    }

    /// - Parameter barrier: the state that the client's subscriptions get before the answer.
    func send(_ reply: Reply, after barrier: Outbox.Barrier?) {
        end(after: barrier) { [id] in reply.write(id: id, into: &$0) }
    }

    func refuse(_ error: WireError, after barrier: Outbox.Barrier? = nil) {
        if connection.context != nil { connection.noteRefusal(error, of: method) }
        end(after: barrier) { [id] in error.write(id: id, into: &$0) }
    }

    /// Ends the request, because its connection has ended.
    func abandon() { end(after: nil) { _ in } }

    private func forget(_ evaluation: ProposalEvaluationID) {
        let list = list
        connection.hub.store.assumeIsolated { $0.forget(evaluation, of: list) }
    }

    private func end(after barrier: Outbox.Barrier?, _ write: (inout ByteWriter) -> Void) {
        if isAnswered { return }
        isAnswered = true
        if let evaluation { forget(evaluation) }
        connection.quota.countHandlerRequest(-length)
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
