import Files
import Glibc

/// The path of a listening Unix socket: created if it is free, taken over from a dead daemon, but never from a running
/// one.
struct SocketFile {
    let path: String
    /// The mode of the socket's directory, if that has to be created.
    let directoryMode: mode_t

    /// Makes the path free for a socket.
    func prepare() throws(ServerError) {
        let lengthMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
        guard path.utf8.count <= lengthMax else { throw .pathTooLong(path: path, max: lengthMax) }
        try makeDirectory()
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw failure()
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        guard [0, geteuid()].contains(status.st_uid) else {
            throw .cannotListen(
                path: path, reason: "a socket of the user \(status.st_uid) is there already and has to be removed")
        }
        try checkAbandoned()
        guard unlink(path) == 0 || errno == ENOENT else { throw failure() }
    }

    /// Creates the socket's directory if it is missing, but none above it. Refuses a directory in which other users
    /// could replace the socket; clients refuse it too.
    private func makeDirectory() throws(ServerError) {
        let directory = TrustedPath.parts(of: path).directory
        do throws(UntrustedPath) { _ = try TrustedPath(directory: directory, missing: .lastMade(directoryMode)) } catch
        {
            throw .cannotListen(path: path, reason: error.reason(for: directory))
        }
    }

    /// Throws unless it is certain that no process is listening.
    private func checkAbandoned() throws(ServerError) {
        // Non-blocking: a daemon that hangs with a full backlog is still running.
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result == 0 || errno == EAGAIN { throw .socketInUse(path: path) }
        guard errno == ECONNREFUSED || errno == ENOENT else { throw failure() }
    }

    private func failure() -> ServerError {
        .cannotListen(path: path, reason: String(cString: strerror(errno)))
    }

    func remove() { unlink(path) }
}
