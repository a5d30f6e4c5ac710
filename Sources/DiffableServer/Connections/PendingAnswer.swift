import DiffableJSON
import DiffableProtocol
import NIOCore

/// An answer with a reserved place, so that it is sent in the order of the requests.
struct PendingAnswer: Sendable {
    private let connection: NIOLoopBound<Connection>
    let place: Outbox.Reservation
    private let id: RequestID
    private let method: Method?
    /// The event loop of the connection. All calls have to be made on it.
    let eventLoop: any EventLoop

    init(_ id: RequestID, on connection: Connection) {
        eventLoop = connection.hub.eventLoop
        self.connection = NIOLoopBound(connection, eventLoop: eventLoop)
        self.id = id
        place = connection.session.outbox.reserve()
        method = connection.method
    }

    /// - Parameters:
    ///   - size: the approximate work of encoding it, in items. A long reply is encoded in the background.
    ///   - barrier: the state that the client's subscriptions get before the answer.
    func send(_ reply: Reply, size: Int = 0, after barrier: @autoclosure () -> Outbox.Barrier? = nil) {
        let connection = connection.value
        // A client without subscriptions need not wait, and cannot create one before it is answered.
        let barrier = connection.numberOfSubscriptions == 0 ? nil : barrier()
        let background = connection.hub.background
        guard size > background.turn.itemsFreedMax else {
            connection.session.outbox.fill(place, after: barrier) { reply.write(id: id, into: &$0) }
            return finish(connection)
        }
        let write: @Sendable () -> ByteWriter = { [id] in
            var line = ByteWriter()
            reply.write(id: id, into: &line)
            return line
        }
        background.compute(for: connection.quota.turn, size: size, while: { true }, write) { [self] line in
            connection.session.outbox.fill(place, after: barrier, with: line)
            finish(connection)
        }
    }

    func refuse(_ error: WireError) {
        let connection = connection.value
        connection.noteRefusal(error, of: method)
        connection.session.outbox.fill(place, after: nil) { error.write(id: id, into: &$0) }
        finish(connection)
    }

    private func finish(_ connection: Connection) {
        connection.resumeReading(after: place)
        if !connection.isReading { connection.markDue() }
    }
}
