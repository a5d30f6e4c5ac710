import Files
import Glibc

/// The name of a listening Unix socket in the file system: made where it is free, taken over from a daemon that died,
/// and never taken from one that lives.
struct SocketFile {
    let path: String
    /// Of the directory that holds it, when it has to be made.
    let directoryMode: mode_t

    /// Makes way for a socket under this name.
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

    /// Makes the directory that holds the socket if it is missing, but none above it. Refuses a directory where other users
    /// could replace the socket, which clients would refuse too.
    private func makeDirectory() throws(ServerError) {
        let directory = TrustedPath.parts(of: path).directory
        do throws(UntrustedPath) { _ = try TrustedPath(directory: directory, missing: .lastMade(directoryMode)) } catch
        {
            throw .cannotListen(path: path, reason: error.reason(for: directory))
        }
    }

    /// Throws unless it is certain that no process listens there.
    private func checkAbandoned() throws(ServerError) {
        // Without waiting: a daemon that hangs with a full backlog is a living one.
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
