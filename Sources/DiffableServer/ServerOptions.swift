import DiffableProtocol
import DiffableStore
import Glibc

package struct ServerOptions: Sendable {
    package var listening: ListenSource
    package var limits: ServerLimits
    package var turn: IterationLimits
    /// The daemon's version, for `hello` and `status`.
    package var version: String
    package var clients: AllowedUsers
    /// The user that the daemon runs as.
    package var userID: UInt32
    package var reload: Reload
    /// Called on the event loop with a sentence about the state of the server, a while after something has happened.
    package var onNews: @Sendable (String) -> Void
    package var memory: ProcessMemory
    /// A loss of changes that nobody has acknowledged yet.
    package var loss: @Sendable () -> String?

    package init(
        listening: ListenSource, limits: ServerLimits = ServerLimits(), turn: IterationLimits = IterationLimits(),
        clients: AllowedUsers = .everyone, userID: UInt32 = geteuid(), version: String,
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
    /// Returns all free memory to the system. Called on a background thread.
    var release: @Sendable () -> Void
    /// Returns only freed memory. Called repeatedly on a background thread, while another thread frees a large state.
    var trim: @Sendable () -> Void
    /// The memory of the process, in bytes.
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

/// The users that may connect. The lists decide about everything else.
package enum AllowedUsers: String, Sendable, CaseIterable {
    /// Every user that can open the socket.
    case everyone
    /// The daemon's user and root, for a user's own daemon.
    case own

    /// Why a client is not served. Nil if it is.
    func refusal(of peer: Peer, daemonUserID: UInt32) -> WireError? {
        if peer.userID == .max {
            return WireError(
                .permissionDenied,
                "this daemon runs in a user namespace that does not map your user id, so it cannot tell you from other users; "
                    + "map your id in the container or unit that runs it (uid_map, PrivateUsers=)", .serve)
        }
        if self == .everyone || peer.isPrivileged { return nil }
        return WireError(
            .permissionDenied,
            "this daemon serves only root and the user \(daemonUserID), and you are the user \(peer.userID); connect to your own "
                + "daemon or to the system's, with --socket or $DIFFABLED_SOCKET", .serve)
    }
}

/// The origin of the listening socket.
package enum ListenSource: Sendable, Equatable {
    /// A Unix socket that the server creates, and removes when it stops.
    case path(String)
    /// A listening Unix socket that the server was given.
    case descriptor(Int32)
}
