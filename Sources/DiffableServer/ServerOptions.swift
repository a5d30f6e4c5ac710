import DiffableProtocol
import DiffableStore
import Glibc

/// What a server needs to know beside its store.
package struct ServerOptions: Sendable {
    package var listening: Listening
    package var limits: ServerLimits
    package var turn: TurnLimits
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
    package var memory: ProcessMemory
    /// A loss of changes that nobody has acknowledged yet.
    package var loss: @Sendable () -> String?

    package init(
        listening: Listening, limits: ServerLimits = ServerLimits(), turn: TurnLimits = TurnLimits(),
        clients: Clients = .everyone, userID: UInt32 = geteuid(), version: String,
        reload: @escaping Reload = {
            $0(.failure(ReloadError(reason: "this server was started without a configuration that can be reloaded")))
        },
        onNews: @escaping @Sendable (String) -> Void = { _ in },
        memory: ProcessMemory = ProcessMemory(), loss: @escaping @Sendable () -> String? = { nil }
    ) {
        self.listening = listening
        self.clients = clients
        self.userID = userID
        self.limits = limits
        self.turn = turn
        self.version = version
        self.reload = reload
        self.onNews = onNews
        self.memory = memory
        self.loss = loss
    }
}

/// Calls about the memory of the process. By default they do nothing.
package struct ProcessMemory: Sendable {
    /// Gives all free memory back to the machine. Called on a background thread.
    var release: @Sendable () -> Void
    /// Gives back only memory that was freed. Called on a background thread again and again, while another thread frees a large
    /// state.
    var trim: @Sendable () -> Void
    /// How much memory the process has, in bytes.
    var length: @Sendable () -> Int

    package init(
        release: @escaping @Sendable () -> Void = {}, trim: @escaping @Sendable () -> Void = {},
        length: @escaping @Sendable () -> Int = { 0 }
    ) {
        self.release = release
        self.trim = trim
        self.length = length
    }
}

/// Who may connect at all. What they may do then is for each list to say.
package enum Clients: String, Sendable, CaseIterable {
    /// Every user who can open the socket.
    case everyone
    /// Whoever runs the daemon, and root: a user's own daemon.
    case own

    /// Why a client is not served; nil if it is.
    func refusal(of peer: Peer, daemonUserID: UInt32) -> WireError? {
        if peer.userID == .max {
            return WireError(
                .permissionDenied,
                "this daemon runs in a user namespace that does not map your user id, so it cannot tell you from other users; "
                    + "map your id in the container or unit that runs it (uid_map, PrivateUsers=)")
        }
        if self == .everyone || peer.isPrivileged { return nil }
        return WireError(
            .permissionDenied,
            "this daemon serves only root and the user \(daemonUserID), and you are the user \(peer.userID); connect to your own "
                + "daemon or to the system's, with --socket or $DIFFABLED_SOCKET")
    }
}

/// Where clients come from.
package enum Listening: Sendable, Equatable {
    /// A Unix socket that the server makes, and removes when it stops.
    case path(String)
    /// A listening Unix socket that was handed over.
    case descriptor(Int32)
}
