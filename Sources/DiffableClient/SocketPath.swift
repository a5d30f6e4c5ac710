#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The path of a daemon's Unix socket.
public struct SocketPath: Hashable, Sendable, CustomStringConvertible {
    /// The path as given; it may be relative.
    public let path: String

    /// Takes a path without checking it. Connecting shows whether a daemon listens there.
    public init(_ path: String) { self.path = path }

    /// The path.
    public var description: String { path }

    /// Finds the daemon that a program should use: the named one, otherwise `$DIFFABLED_SOCKET`, otherwise the user's own
    /// daemon, otherwise the system's.
    ///
    /// The state directory shows that the user has had their own daemon. Then the system's daemon is not used while the user's
    /// own is stopped, and `ownDaemonStopped` is thrown.
    ///
    /// - Parameter named: the path that the user gave, for example in an option of the program.
    public static func find(_ named: String? = nil) throws(ClientError) -> SocketPath {
        try find(
            named, environment: variable, isSocket: isSocket, isAbandoned: isAbandoned,
            holdsDaemonState: holdsDaemonState)
    }

    /// Tests replace `isSocket`. `isAbandoned` says whether a socket has no listener, and `holdsDaemonState` whether a directory is
    /// the state directory of a daemon of this user.
    package static func find(
        _ named: String?, environment: (String) -> String?, isSocket: (String) -> Bool,
        isAbandoned: (String) -> Bool = { _ in false }, holdsDaemonState: (String) -> Bool = { _ in false }
    ) throws(ClientError) -> SocketPath {
        if let named { return SocketPath(named) }
        if let path = environment("DIFFABLED_SOCKET"), !path.isEmpty { return SocketPath(path) }
        let user = user(environment: environment)
        if let user, isSocket(user.path), !isAbandoned(user.path) { return user }
        if let directory = stateDirectory(environment: environment), holdsDaemonState(directory) {
            throw .ownDaemonStopped(user, stateDirectory: directory)
        }
        let sockets = usualPaths(environment: environment).filter(isSocket)
        guard let first = sockets.first else { throw .noSocket(lookedAt: usualPaths(environment: environment)) }
        // For a socket without a listener, connecting fails with the reason.
        return sockets.count == 2 && !isAbandoned(system.path) ? system : SocketPath(first)
    }

    /// The directory in which the user's own daemon keeps its lists; nil without an absolute path for it.
    private static func stateDirectory(environment: (String) -> String?) -> String? {
        func directory(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        return directory("XDG_STATE_HOME").map { $0 + "/diffabled" }
            ?? directory("HOME").map { $0 + "/.local/state/diffabled" }
    }

    /// Whether the directory exists, belongs to this user, and contains more than the positions of mirrors that commands store
    /// there.
    private static func holdsDaemonState(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            return false
        }
        return access(path + "/lists.sqlite", F_OK) == 0 || access(path + "/mirrors", F_OK) != 0
    }

    /// The socket of the system's daemon.
    public static let system = SocketPath("/run/diffabled/diffabled.sock")

    /// The socket of the user's own daemon; nil without `$XDG_RUNTIME_DIR`.
    public static var user: SocketPath? { user(environment: variable) }

    private static func user(environment: (String) -> String?) -> SocketPath? {
        guard let directory = environment("XDG_RUNTIME_DIR"), !directory.isEmpty else { return nil }
        return SocketPath("\(directory)/diffabled/diffabled.sock")
    }

    /// The existing sockets at the usual paths: the user's and the system's.
    public static var usual: [SocketPath] {
        usualPaths(environment: variable).filter(isSocket).map { SocketPath($0) }
    }

    private static func usualPaths(environment: (String) -> String?) -> [String] {
        [user(environment: environment), system].compactMap { $0?.path }
    }

    /// Whether a socket has no listener. Does not wait, and returns false for a busy daemon. Also returns false for an
    /// untrusted socket, because connecting reports that.
    package static func isAbandoned(_ path: String) -> Bool {
        guard let socket = try? SocketPath(path).trusted() else { return false }
        guard let descriptor = connectedSocket(socket.path, waits: false) else { return errno == ECONNREFUSED }
        close(descriptor)
        return false
    }

    /// Returns a socket that is connected to a path, and that child processes do not inherit; nil on failure, with the reason
    /// in `errno`. `waits` says whether connecting and later operations may block.
    static func connectedSocket(_ path: String, waits: Bool) -> CInt? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard path.utf8.count < place.count else { return false }
            place.copyBytes(from: path.utf8)
            return true
        }
        guard fits else {
            errno = ENAMETOOLONG
            return nil
        }
        #if canImport(Darwin)
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if !waits { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result == 0 { return descriptor }
        let code = errno
        close(descriptor)
        errno = code
        return nil
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}
