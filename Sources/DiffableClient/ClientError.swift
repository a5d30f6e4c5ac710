import Diffable
import DiffableProtocol

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Why a client's wish was not granted.
public enum ClientError: Error, Equatable, Sendable {
    /// No socket was named, and none stands where daemons usually listen.
    case noSocket(lookedAt: [String])
    /// No socket was named, and this user's own daemon is not running. The path is nil without `$XDG_RUNTIME_DIR`. The
    /// system's daemon is not used in its place.
    case ownDaemonStopped(SocketPath?, stateDirectory: String)
    /// Nobody listens there, or not to us.
    case noConnection(SocketPath, reason: String)
    /// A daemon's socket stands there, and this user may not use it.
    case noPermission(SocketPath)
    /// Somebody who is not to be trusted may have put the socket there; nothing was sent to it.
    case untrustedSocket(SocketPath, objection: String)
    /// The daemon has gone away. Whether an unanswered change was made is not known.
    case connectionLost(SocketPath)
    /// The daemon has said nothing for so long that the connection was given up. Whether an unanswered change was made is
    /// not known.
    case noReply(SocketPath, within: Duration)
    /// The daemon understood and said no; a list it is about is unchanged.
    case refused(Refusal)
    /// The daemon ended a subscription, because the list may not be read any more.
    case subscriptionEnded(Refusal)
    /// What the daemon sent makes no sense to this version of the client.
    case unintelligible(String)
    /// An item's content is not what the program takes it for.
    case undecodable(UndecodableContent)
    /// The value of a typed item cannot be encoded as JSON; nothing was sent.
    case unencodable(ItemID, reason: String)
    /// A patch of this item, or of the list's own content, has no JSON form; nothing was sent.
    case noMergePatch(ItemID?)
    /// What `deliver(by:to:)` hands over was called on another thread than the main one; nothing was shown.
    case notOnMainThread
    /// The task that waited was cancelled. All that waits throws this then, and nothing of this library a
    /// `CancellationError`, as most of it throws `ClientError` alone.
    case cancelled
}

extension ClientError {
    /// For who starts a program that has the option `--socket`.
    package var descriptionWithOption: String { description.replacing("Client(socket:)", with: "--socket") }

    /// For a program that has the options `--user` and `--system` too.
    package var descriptionWithOptions: String {
        guard case .ownDaemonStopped = self else { return descriptionWithOption }
        return descriptionWithOption + ". --system uses the system's daemon"
    }
}

extension ClientError: CustomStringConvertible {
    /// What is wrong and what to do, for people; of a refusal, the daemon's own words.
    public var description: String {
        switch self {
        case .noSocket(let paths):
            "no daemon is running: there is no socket at \(paths.joined(separator: " or ")). "
                + (paths.count == 1 ? "$XDG_RUNTIME_DIR is not set, so a daemon of your own cannot be found. " : "")
                + "Start one with `diffabled`, or name its socket with Client(socket:) or $DIFFABLED_SOCKET"
        case .ownDaemonStopped(nil, let directory):
            "you have a daemon of your own, with its state in \(directory), and $XDG_RUNTIME_DIR, which says where it listens, "
                + "is not set; nothing was sent to the system's daemon. Set it, usually to /run/user/\(getuid()), or name a socket "
                + "with Client(socket:) or $DIFFABLED_SOCKET"
        case .ownDaemonStopped(let path?, let directory):
            "your own daemon is not running: nobody listens at \(path), and its state is in \(directory). Nothing was sent to "
                + "the system's daemon. Start yours with `systemctl --user start diffabled` or `diffabled`, or name a socket with "
                + "Client(socket:) or $DIFFABLED_SOCKET"
        case .noConnection(let path, let reason):
            "no daemon answers at \(path) (\(reason)). Start one there with `diffabled`, "
                + "or name another with Client(socket:) or $DIFFABLED_SOCKET"
        case .noPermission(let path):
            "the socket \(path) is there, but this user may not connect to it: look at its owner, group and mode, "
                + "or name another with Client(socket:) or $DIFFABLED_SOCKET"
        case .untrustedSocket(let path, let objection):
            "the socket \(path) is not used: \(objection), or name another socket with Client(socket:) or "
                + "$DIFFABLED_SOCKET"
        case .connectionLost(let path):
            "the daemon at \(path) closed the connection. Whether an unanswered change was made is not known: "
                + "look at the list before trying again"
        case .noReply(let path, let time):
            "the daemon at \(path) has said nothing for \(time.formatted): it may hang. See what it says with "
                + "`systemctl status diffabled`, and restart it if it is stuck. Whether an unanswered change was made is "
                + "not known: look at the list before trying again"
        case .refused(let refusal), .subscriptionEnded(let refusal): refusal.message
        case .unintelligible(let what):
            "the daemon sent what this client does not understand: \(what). Are both of the same version?"
        case .undecodable(let content): content.description
        case .unencodable(let item, let reason):
            "the value of the item \"\(item)\" cannot be encoded as JSON (\(reason)), and nothing was sent. Change the value, "
                + "or pass an encoder that can encode it"
        case .noMergePatch(nil):
            "the patch of the list's own content was made from a function, which cannot be sent: make it with "
                + "ListPatch(mergePatch:), or send reconfigureList"
        case .noMergePatch(let item?):
            "the patch of the item \"\(item)\" was made from a function, which cannot be sent: make it with "
                + "ItemPatch(id:mergePatch:), or send reconfigureItems"
        case .notOnMainThread:
            "deliver(by:to:) was called back on another thread than the main one, and has shown nothing: what its first "
                + "function is given must be called by the main thread's loop, as g_idle_add and "
                + "QMetaObject::invokeMethod do"
        case .cancelled: "cancelled"
        }
    }
}

extension Duration {
    fileprivate var formatted: String {
        let (seconds, attoseconds) = components
        return seconds > 0 ? "\(seconds) s" : "\(attoseconds / 1_000_000_000_000_000) ms"
    }
}

extension ClientError {
    /// Whether the connection is at its end.
    var isLoss: Bool {
        switch self {
        case .connectionLost, .noReply: true
        default: false
        }
    }

    /// Whether it only says that there is no daemon at the moment, so that trying again later is of use.
    package var isHealedByReconnecting: Bool {
        switch self {
        case .noSocket, .ownDaemonStopped, .noConnection, .connectionLost, .noReply: true
        case .refused(let refusal): refusal.code == WireError.Code.shuttingDown.rawValue
        case .noPermission, .untrustedSocket, .subscriptionEnded, .unintelligible, .undecodable, .unencodable,
            .noMergePatch, .notOnMainThread, .cancelled:
            false
        }
    }
}

/// The daemon's answer to a request that it could not grant; `docs/protocol.md` lists codes and names.
public struct Refusal: Error, Equatable, Sendable {
    /// The number that `name` has on the wire.
    public var code: Int
    /// The code's name, such as `noSuchList`.
    public var name: String
    /// What is wrong and what to do, for people.
    public var message: String
    /// What it is about, if it is about one list.
    public var list: ListName?
    /// The section, if it is about one.
    public var section: SectionID?
    /// The item, if it is about one.
    public var item: ItemID?
    /// The operation, counted from zero, if it is about one.
    public var operation: Int?
    /// How the item's content does not fit the schemas of its list (`invalidContent`).
    public var misfit: Misfit?

    /// Where a content does not fit, and what says so.
    public struct Misfit: Equatable, Sendable {
        /// Of the item; nil for none.
        public var kind: Kind?
        /// Of the value, in the content: a JSON pointer, such as `/due`; empty for the content itself.
        public var path: String
        /// Of the schema, such as `type`; `others` for a kind that has no schema.
        public var keyword: String
    }

    package init(
        code: Int, name: String, message: String, list: ListName? = nil, section: SectionID? = nil,
        item: ItemID? = nil, operation: Int? = nil, misfit: Misfit? = nil
    ) {
        self.code = code
        self.name = name
        self.message = message
        self.list = list
        self.section = section
        self.item = item
        self.operation = operation
        self.misfit = misfit
    }
}
