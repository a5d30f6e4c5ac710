/// Why a server cannot listen.
package enum ServerError: Error, Equatable, CustomStringConvertible {
    /// Another daemon answers there.
    case socketInUse(path: String)
    /// Something that is no socket has that name.
    case notASocket(path: String)
    /// In bytes; the system's limit for the name of a Unix socket.
    case pathTooLong(path: String, max: Int)
    case cannotListen(path: String, reason: String)

    package var description: String {
        switch self {
        case .socketInUse(let path):
            "a daemon is serving \(path) already; stop it first, or name another place with --socket"
        case .notASocket(let path):
            "\(path) is there and is no socket; move it away, or name another place with --socket"
        case .pathTooLong(let path, let max):
            "the path \(path) is longer than the \(max) bytes that a Unix socket's name can have; name a shorter one "
                + "with --socket"
        case .cannotListen(let path, let reason):
            "cannot listen on \(path): \(reason); see that its directory is there and can be written, or name another "
                + "place with --socket"
        }
    }
}
