#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Where a daemon listens: the path of its Unix socket.
public struct SocketPath: Hashable, Sendable, CustomStringConvertible {
    /// As it was given; it may be relative.
    public let path: String

    /// Takes a path as it is: whether a daemon listens there shows when it is connected to.
    public init(_ path: String) { self.path = path }

    /// The path.
    public var description: String { path }

    /// The daemon that a program should talk to: the one that was named, otherwise `$DIFFABLED_SOCKET`, otherwise
    /// the user's own daemon if it has a socket, otherwise the system's. A socket of the user's that a daemon has left
    /// behind does not stand before the system's.
    ///
    /// - Parameter named: what the user said, for example in an option of the program.
    public static func find(_ named: String? = nil) throws(ClientError) -> SocketPath {
        try find(named, environment: variable, isSocket: isSocket, isLeft: isLeft)
    }

    /// - Parameters:
    ///   - environment: gives a variable's value.
    ///   - isSocket: whether a socket stands at a path; tests say so themselves.
    ///   - isLeft: whether nobody listens at the socket that stands there.
    package static func find(
        _ named: String?, environment: (String) -> String?, isSocket: (String) -> Bool,
        isLeft: (String) -> Bool = { _ in false }
    ) throws(ClientError) -> SocketPath {
        if let named { return SocketPath(named) }
        if let path = environment("DIFFABLED_SOCKET"), !path.isEmpty { return SocketPath(path) }
        let usual = usualPaths(environment: environment)
        let sockets = usual.filter(isSocket)
        guard let first = sockets.first else { throw .noSocket(lookedAt: usual) }
        // Who has no choice hears from connecting that nobody listens.
        guard sockets.count > 1 else { return SocketPath(first) }
        return SocketPath(sockets.first { !isLeft($0) } ?? first)
    }

    /// Where the system's daemon listens.
    public static let system = SocketPath("/run/diffabled/diffabled.sock")

    /// Where the user's own daemon listens; nil without `$XDG_RUNTIME_DIR`.
    public static var user: SocketPath? { user(environment: variable) }

    private static func user(environment: (String) -> String?) -> SocketPath? {
        guard let directory = environment("XDG_RUNTIME_DIR"), !directory.isEmpty else { return nil }
        return SocketPath("\(directory)/diffabled/diffabled.sock")
    }

    /// Where daemons usually listen that are there: the user's and the system's.
    public static var usual: [SocketPath] {
        usualPaths(environment: variable).filter(isSocket).map { SocketPath($0) }
    }

    /// The user's daemon before the system's.
    private static func usualPaths(environment: (String) -> String?) -> [String] {
        [user(environment: environment), system].compactMap { $0?.path }
    }

    /// Whether nobody listens at a socket, asked without waiting. A daemon that is busy is there, and one that is not to be
    /// trusted is not asked: whoever connects will hear of it.
    package static func isLeft(_ path: String) -> Bool {
        guard let path = try? SocketPath(path).trusted() else { return false }
        guard let descriptor = connectedSocket(path, waits: false) else { return errno == ECONNREFUSED }
        close(descriptor)
        return false
    }

    /// A socket that is connected to a path, and that no other program inherits; nil for none, and `errno` says why.
    ///
    /// - Parameter waits: whether connecting and what is done with it later may wait.
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
