import DiffableJSON
import DiffableProtocol
import DiffableStore
import Glibc

/// What a server needs to know beside its store.
package struct ServerOptions: Sendable {
    package var listening: Listening
    package var limits: ServerLimits
    /// Of the daemon, as `hello` and `status` tell it.
    package var version: String
    /// Who is served.
    package var clients: Clients
    /// Whom the daemon runs as.
    package var userID: UInt32
    /// What `reload` does.
    package var reload: Reload
    /// Told in a sentence how the server is doing, a while after something has happened. Called on the loop.
    package var onNews: @Sendable (String) -> Void

    package init(
        listening: Listening, limits: ServerLimits = ServerLimits(), clients: Clients = .everyone,
        userID: UInt32 = geteuid(), version: String,
        reload: @escaping Reload = { $0(.failure(ReloadError(reason: "this server has no configuration"))) },
        onNews: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.listening = listening
        self.clients = clients
        self.userID = userID
        self.limits = limits
        self.version = version
        self.reload = reload
        self.onNews = onNews
    }
}

/// Who may connect at all. What they may do then is for each list to say.
package enum Clients: String, Sendable, CaseIterable {
    /// Every user who can open the socket.
    case everyone
    /// Whoever runs the daemon, and root: a user's own daemon.
    case own

    /// What one who is not served is told.
    func refusal(of peer: Peer, daemonUserID: UInt32) -> WireError? {
        if self == .everyone || peer.isPrivileged { return nil }
        return WireError(
            .permissionDenied,
            "this daemon serves the user \(daemonUserID) and root only, and you are the user \(peer.userID); talk to your own, "
                + "or to the system's, by --socket or $DIFFABLED_SOCKET")
    }
}

/// Where clients come from.
package enum Listening: Sendable, Equatable {
    /// A Unix socket that the server makes, and removes when it stops.
    case path(String)
    /// A listening Unix socket that was handed over.
    case descriptor(Int32)
}

/// Lengths are in bytes.
package struct ServerLimits: Sendable {
    /// A line that a client sends.
    package var lineLengthMax: Int
    /// A line that a client is sent, unless it asks for more in `hello`.
    package var lineOutLengthMax: Int
    /// What it may ask for at most.
    package var lineOutLengthCeiling: Int
    /// All parts of one transaction together.
    package var transactionLengthMax: Int
    package var decoding: DecodingLimits
    /// The store's, told to clients.
    package var itemsMax: Int
    package var listsMax: Int
    package var requests: RequestLimits

    package init(
        lineLengthMax: Int = 1 << 20, lineOutLengthMax: Int = 65_535, lineOutLengthCeiling: Int = 16 << 20,
        transactionLengthMax: Int = 256 << 20, decoding: DecodingLimits = .server, itemsMax: Int = 10_000_000,
        listsMax: Int = 10_000, requests: RequestLimits = RequestLimits()
    ) {
        self.lineLengthMax = lineLengthMax
        self.lineOutLengthMax = lineOutLengthMax
        self.lineOutLengthCeiling = lineOutLengthCeiling
        self.transactionLengthMax = transactionLengthMax
        self.decoding = decoding
        self.itemsMax = itemsMax
        self.listsMax = listsMax
        self.requests = requests
    }
}
