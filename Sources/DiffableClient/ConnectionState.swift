/// Whether a client is connected.
public enum ConnectionState: Equatable, Sendable {
    /// The reason; nil if the client has never needed a connection, or no longer needs one. While it needs one, it keeps trying.
    case disconnected(ClientError?)
    /// The client is connected to a daemon.
    case connected
}

extension ConnectionState {
    var reason: ClientError? {
        if case .disconnected(let reason) = self { reason } else { nil }
    }
}
