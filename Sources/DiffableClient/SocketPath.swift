#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Where a daemon listens: the path of its Unix socket.
public struct SocketPath: Hashable, Sendable, CustomStringConvertible {
    public let path: String

    public init(_ path: String) { self.path = path }

    public var description: String { path }

    /// The daemon that a program should talk to: the one that was named, otherwise `$DIFFABLED_SOCKET`, otherwise
    /// the user's own daemon if it has a socket, otherwise the system's.
    ///
    /// - Parameter named: what the user said, for example by `--socket`.
    public static func find(_ named: String? = nil) throws(ClientError) -> SocketPath {
        try find(named, environment: variable, isSocket: isSocket)
    }

    /// - Parameters:
    ///   - environment: gives a variable's value.
    ///   - isSocket: whether a socket stands at a path; tests say so themselves.
    package static func find(
        _ named: String?, environment: (String) -> String?, isSocket: (String) -> Bool
    ) throws(ClientError) -> SocketPath {
        if let named { return SocketPath(named) }
        if let path = environment("DIFFABLED_SOCKET"), !path.isEmpty { return SocketPath(path) }
        let usual = usualPaths(environment: environment)
        guard let path = usual.first(where: isSocket) else { throw .noSocket(lookedAt: usual) }
        return SocketPath(path)
    }

    /// The user's daemon before the system's.
    private static func usualPaths(environment: (String) -> String?) -> [String] {
        let system = "/run/diffabled/diffabled.sock"
        guard let directory = environment("XDG_RUNTIME_DIR"), !directory.isEmpty else { return [system] }
        return ["\(directory)/diffabled/diffabled.sock", system]
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}
