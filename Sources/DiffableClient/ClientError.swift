import Diffable
import DiffableProtocol

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An error of a client's request.
public enum ClientError: Error, Equatable, Sendable {
    /// No socket was named, and there is none at the usual paths.
    case noSocket(lookedAt: [String])
    /// No socket was named, and this user's own daemon is not running. The path is nil without `$XDG_RUNTIME_DIR`. The system's
    /// daemon is not used instead.
    case ownDaemonStopped(SocketPath?, stateDirectory: String)
    /// No process listens on the socket, or it does not accept this client.
    case noConnection(SocketPath, reason: String)
    /// The daemon's socket exists, but this user may not use it.
    case noPermission(SocketPath)
    /// An untrusted user may have created the socket; nothing was sent to it.
    case untrustedSocket(SocketPath, objection: String)
    /// The daemon closed the connection. It is unknown whether a change without a reply was made.
    case connectionLost(SocketPath)
    /// The daemon sent nothing for `replyTimeout`, so the client gave up the connection. It is unknown whether a change without
    /// a reply was made.
    case noReply(SocketPath, within: Duration)
    /// The daemon refused the request; the affected list is unchanged.
    case refused(Refusal)
    /// The daemon ended a subscription, because the list may not be read any more.
    case subscriptionEnded(Refusal)
    /// This version of the client does not understand the daemon's message.
    case unintelligible(String)
    /// An item's content cannot be decoded as the program's type.
    case undecodable(UndecodableContent)
    /// The value of a typed item cannot be encoded as JSON; nothing was sent.
    case unencodable(ItemID, reason: String)
    /// A patch of this item, or of the list's own content, has no JSON form; nothing was sent.
    case noMergePatch(ItemID?)
    /// The closure that `deliver(by:to:)` passes to the scheduler was called on another thread than the main one; nothing was
    /// delivered.
    case notOnMainThread
    /// The waiting task was cancelled. All waiting functions throw this error, and none of this library throws a
    /// `CancellationError`, because most throw `ClientError` only.
    case cancelled
}

extension ClientError: CustomStringConvertible {
    /// The problem and the remedy, for users; for a refusal, the daemon's own text.
    public var description: String { sentence(socket: "Client(socket:)") }

    /// The problem and the remedy. `socket` is the caller's way to name a socket, and `system` is its way to choose the system's
    /// daemon, if it has one.
    package func sentence(socket: String, system: String? = nil) -> String {
        let otherDaemon = system.map { ". \($0) uses the system's daemon" } ?? ""
        return switch self {
        case .noSocket(let paths):
            "no daemon is running: there is no socket at \(paths.joined(separator: " or ")). "
                + (paths.count == 1 ? "$XDG_RUNTIME_DIR is not set, so a daemon of your own cannot be found. " : "")
                + "Start one with `diffabled`, or name the socket of a running one with \(socket) or $DIFFABLED_SOCKET"
        case .ownDaemonStopped(nil, let directory):
            "$XDG_RUNTIME_DIR is not set, so the socket of your own daemon, with its state in \(directory), cannot be found; "
                + "nothing was sent to the system's daemon. Set the variable, usually to /run/user/\(getuid()), or name a socket "
                + "with \(socket) or $DIFFABLED_SOCKET\(otherDaemon)"
        case .ownDaemonStopped(let path?, let directory):
            "your own daemon is not running: nobody listens at \(path), and its state is in \(directory). Nothing was sent to "
                + "the system's daemon. Start yours with `systemctl --user start diffabled` or `diffabled`, or name a socket with "
                + "\(socket) or $DIFFABLED_SOCKET\(otherDaemon)"
        case .noConnection(let path, let reason):
            "no daemon answers at \(path) (\(reason)). Start one with \(path.startCommands), "
                + "or name another with \(socket) or $DIFFABLED_SOCKET"
        case .noPermission(let path):
            "this user may not connect to the socket \(path): ask its owner to allow it (chgrp, chmod), or name another socket "
                + "with \(socket) or $DIFFABLED_SOCKET"
        case .untrustedSocket(let path, let objection):
            "the socket \(path) cannot be trusted, and nothing was sent to it: \(objection), or name another socket with "
                + "\(socket) or $DIFFABLED_SOCKET"
        case .connectionLost(let path):
            "the daemon at \(path) closed the connection. Whether an unanswered change was made is not known: "
                + "look at the list before trying again"
        case .noReply(let path, let time):
            "the daemon at \(path) has said nothing for \(time.formatted): it may hang. See what it says with "
                + "`systemctl status diffabled` (your own daemon: `systemctl --user status diffabled`), and restart it if it is "
                + "stuck. Whether an unanswered change was made is not known: look at the list before trying again"
        case .refused(let refusal), .subscriptionEnded(let refusal): refusal.message
        case .unintelligible(let what):
            "this client does not understand what the daemon sent: \(what). Check that both have the same version"
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
            "deliver(by:to:) has ended and did not show the last update, because its closure was called on another thread than "
                + "the main one: it must be called by the main thread's loop, as g_idle_add and QMetaObject::invokeMethod do"
        case .cancelled: "cancelled before the daemon replied: if this was a change, check whether it was made"
        }
    }
}

extension SocketPath {
    fileprivate var startCommands: String {
        if self == .system { return "`sudo systemctl start diffabled.socket`" }
        if self == SocketPath.user { return "`systemctl --user start diffabled` or `diffabled`" }
        return "`diffabled --socket \(path)`"
    }
}

extension Duration {
    fileprivate var formatted: String {
        let (seconds, attoseconds) = components
        return seconds > 0 ? "\(seconds) s" : "\(attoseconds / 1_000_000_000_000_000) ms"
    }
}

extension ClientError {
    var isLoss: Bool {
        switch self {
        case .connectionLost, .noReply: true
        default: false
        }
    }

    /// Whether there is only no daemon at the moment, so that a retry may succeed.
    package var isHealedByReconnecting: Bool {
        switch self {
        case .noSocket, .ownDaemonStopped, .noConnection, .connectionLost, .noReply: true
        case .refused(let refusal): refusal.code == .shuttingDown
        case .noPermission, .untrustedSocket, .subscriptionEnded, .unintelligible, .undecodable, .unencodable,
            .noMergePatch, .notOnMainThread, .cancelled:
            false
        }
    }
}

/// The daemon's refusal of a request; `docs/protocol-errors.md` lists codes and names.
public struct Refusal: Error, Equatable, Sendable {
    /// The kind of the error.
    public var code: Code
    /// The problem and the remedy, for users.
    public var message: String
    /// Why, in one word, such as `change` for a missing right to change the list; nil if the code says it.
    /// `docs/protocol-errors.md` lists the reasons, and a newer daemon can send others.
    public var reason: String?
    /// The affected list, if there is a single one.
    public var list: ListName?
    /// The affected section, if there is one.
    public var section: SectionID?
    /// The affected item, if there is one.
    public var item: ItemID?
    /// The index of the affected operation, counted from zero, if there is one.
    public var operation: Int?
    /// Why the item's content violates the schemas of its list (`invalidContent`).
    public var violation: SchemaViolation?
    /// The exceeded limit (`tooLarge`).
    public var limit: String?
    /// The action that is or is not handled (`noHandler`, `handlerExists`).
    public var action: String?
    /// The number of changes that can be undone or redone (`noSuchRevision` with the reason `undo` or `redo`).
    public var found: Int?

    /// The place where a content violates a schema, and the violated keyword.
    public struct SchemaViolation: Equatable, Sendable {
        /// The item's kind; nil for none.
        public var kind: Kind?
        /// The path of the value in the content: a JSON pointer, such as `/due`; empty for the content itself.
        public var path: String
        /// The keyword of the schema, such as `type`; `others` for a kind that has no schema.
        public var keyword: String
    }

    package init(
        _ code: Code, _ message: String, list: ListName? = nil, section: SectionID? = nil,
        item: ItemID? = nil, operation: Int? = nil, violation: SchemaViolation? = nil, reason: String? = nil,
        limit: String? = nil,
        action: String? = nil, found: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.list = list
        self.section = section
        self.item = item
        self.operation = operation
        self.violation = violation
        self.reason = reason
        self.limit = limit
        self.action = action
        self.found = found
    }
}
