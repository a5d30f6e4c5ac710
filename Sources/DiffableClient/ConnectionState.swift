/// Whether a client is connected.
public enum ConnectionState: Equatable, Sendable {
    /// Why not: nil when nobody has needed a connection yet, or nobody does any more. As long as somebody does, the client
    /// goes on trying.
    case disconnected(ClientError?)
    /// A daemon is connected.
    case connected
}

extension ConnectionState {
    /// Why there is no connection where one is needed.
    var reason: ClientError? {
        if case .disconnected(let reason) = self { reason } else { nil }
    }
}
