import DiffableProtocol
import NIOCore

/// An answer whose place is reserved, so that it comes in the order of the requests whenever it is given.
struct PendingAnswer: Sendable {
    private let connection: NIOLoopBound<Connection>
    private let place: Outbox.Reservation
    private let id: RequestID
    private let method: Method?
    /// Where it is given.
    let eventLoop: any EventLoop

    init(_ id: RequestID, on connection: Connection) {
        eventLoop = connection.hub.eventLoop
        self.connection = NIOLoopBound(connection, eventLoop: eventLoop)
        self.id = id
        place = connection.session.outbox.reserve()
        method = connection.method
    }

    /// - Parameter barrier: what the client's subscriptions are sent before.
    func give(_ reply: Reply, after barrier: @autoclosure () -> Outbox.Barrier? = nil) {
        let connection = connection.value
        // A client without subscriptions waits for none, and can make none before it is answered.
        connection.session.outbox.fill(place, after: connection.subscriptions.isEmpty ? nil : barrier()) {
            reply.write(id: id, into: &$0)
        }
        connection.markDue()
    }

    func refuse(_ error: WireError) {
        let connection = connection.value
        connection.noteRefusal(error, of: method)
        connection.session.outbox.fill(place, after: nil) { error.write(id: id, into: &$0) }
        connection.markDue()
    }
}
