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

/// What clients may take. Lengths are in bytes.
package struct ServerLimits: Sendable {
    /// Of all users together. `connectionsKept` more are for root and for the daemon's own user.
    package var connectionsMax: Int
    package var connectionsPerUserMax: Int
    package var subscriptionsPerConnectionMax: Int
    /// Of all connections of a user together; 0 is no limit.
    package var requestsPerSecondMax: Int
    /// What is kept for a user's connections: requests that are not complete, and answers that were not read.
    package var heldLengthMax: Int
    /// How long a connection may last that has sent no line, in seconds; 0 is for ever.
    package var silentAgeMax: Int
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

    /// So that an administrator can always have a look.
    package static let connectionsKept = 8

    package init(
        connectionsMax: Int = 16_384, connectionsPerUserMax: Int = 12_288, subscriptionsPerConnectionMax: Int = 1_024,
        requestsPerSecondMax: Int = 0, heldLengthMax: Int = 512 << 20, silentAgeMax: Int = 300,
        lineLengthMax: Int = 1 << 20, lineOutLengthMax: Int = 65_535, lineOutLengthCeiling: Int = 16 << 20,
        transactionLengthMax: Int = 256 << 20, decoding: DecodingLimits = .server, itemsMax: Int = 10_000_000,
        listsMax: Int = 10_000, requests: RequestLimits = RequestLimits()
    ) {
        self.connectionsMax = connectionsMax
        self.connectionsPerUserMax = connectionsPerUserMax
        self.subscriptionsPerConnectionMax = subscriptionsPerConnectionMax
        self.requestsPerSecondMax = requestsPerSecondMax
        self.heldLengthMax = heldLengthMax
        self.silentAgeMax = silentAgeMax
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
