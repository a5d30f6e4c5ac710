/// Why a server cannot listen.
package enum ServerError: Error, Equatable, CustomStringConvertible {
    /// Another daemon is listening on the socket.
    case socketInUse(path: String)
    /// A file with this name is not a socket.
    case notASocket(path: String)
    /// `max` is the system's limit for the path of a Unix socket, in bytes.
    case pathTooLong(path: String, max: Int)
    case cannotListen(path: String, reason: String)

    package var description: String {
        switch self {
        case .socketInUse(let path):
            "another process is already listening on \(path); stop it first, or name another path with --socket"
        case .notASocket(let path):
            "\(path) exists and is not a socket; move it away, or name another path with --socket"
        case .pathTooLong(let path, let max):
            "the path \(path) is longer than the \(max) bytes that a Unix socket's name can have; name a shorter one "
                + "with --socket"
        case .cannotListen(let path, let reason):
            "cannot listen on \(path): \(reason); correct that (its directory must exist and be writable), or name another path "
                + "with --socket"
        }
    }
}
