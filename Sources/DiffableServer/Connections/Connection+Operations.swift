import DiffableJSON
import DiffableProtocol
import DiffableStore
import Glibc
import NIOCore

// What those ask for who run the daemon.

extension Connection {
    /// Whether the peer may run the daemon; if not, that is the answer.
    private func mayOperate(_ method: Method, id: RequestID) -> Bool {
        if peer.isPrivileged { return true }
        let error = WireError(
            .permissionDenied, "\(method.rawValue) is for root and for uid \(geteuid()), which the daemon runs as")
        answer(id, .failure(error))
        return false
    }

    func reload(id: RequestID) {
        guard mayOperate(.reload, id: id) else { return }
        guard let eventLoop = context?.eventLoop else { preconditionFailure("requests come from open connections") }
        let place = outbox.reserve()
        let connection = NIOLoopBound(self, eventLoop: eventLoop)
        hub.options.reload { result in
            eventLoop.execute {
                let result = result.map { Reply.reload(Reply.Reload($0)) }.mapError(WireError.init)
                connection.value.outbox.fill(place, after: nil) { Self.write(id, result, into: &$0) }
                connection.value.isDue()
            }
        }
    }
}
