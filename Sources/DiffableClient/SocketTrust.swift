#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Whether a socket can only have been put where it is by somebody who is trusted: root, the user, or whom the system's
/// daemon runs as; for root also whoever the socket belongs to, since root may talk to everybody's daemon.
///
/// The rule is the one by which sshd trusts a file of keys, and X the directory of its sockets: the socket, its directory
/// and all directories above it belong to somebody who is trusted, and nobody else can write in any of them. A directory
/// with the sticky bit, like /tmp, may be written in by all: others cannot take away there what is not theirs.
struct SocketTrust {
    /// What stat(2) tells of a file that trust goes by.
    struct FileStatus {
        var path: String
        var owner: UInt32
        var mode: UInt32
    }

    let userID: UInt32
    /// Whom the system's daemon runs as, if there is such a user.
    let daemonUserID: UInt32?

    /// What speaks against it, and what to do; nil for nothing.
    ///
    /// - Parameter directories: that of the socket, then those above.
    func objection(to socket: FileStatus, in directories: [FileStatus]) -> String? {
        var trusted: Set<UInt32> = [0, userID]
        if let daemonUserID { trusted.insert(daemonUserID) }
        if userID == 0 { trusted.insert(socket.owner) }
        guard trusted.contains(socket.owner) else {
            return
                "it belongs to the user \(socket.owner), and not to you, root or the daemon's user; start a daemon of your "
                + "own, or ask that user to name you a socket of the system's daemon"
        }
        for directory in directories {
            guard trusted.contains(directory.owner) else {
                return
                    "\(directory.path) belongs to the user \(directory.owner), who could put another socket there; let the "
                    + "daemon listen in a directory of your own or of root's"
            }
            if directory.mode & 0o022 != 0, directory.mode & 0o1000 == 0 {
                return
                    "others can write in \(directory.path) (mode \(String(directory.mode & 0o7777, radix: 8))), and so put "
                    + "another socket there; take that away (chmod go-w \(directory.path))"
            }
        }
        return nil
    }
}

extension SocketPath {
    /// A socket that is connected, for who speaks the protocol without this library. The caller closes it.
    package func connected() throws(ClientError) -> CInt {
        let path = try trusted()
        guard let descriptor = Self.connectedSocket(path, waits: true) else {
            let code = errno
            if [EACCES, EPERM].contains(code) { throw .noPermission(self) }
            throw .noConnection(self, reason: String(cString: strerror(code)))
        }
        return descriptor
    }

    /// The path to connect to, free of symbolic links, which somebody could turn elsewhere meanwhile. A socket that is not
    /// there is nobody's.
    func trusted() throws(ClientError) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        let real = String(cString: resolved)
        guard let socket = Self.status(of: real) else { return path }
        var directories: [SocketTrust.FileStatus] = []
        var above = real[...]
        while let slash = above.lastIndex(of: "/") {
            above = above[..<slash]
            if let directory = Self.status(of: above.isEmpty ? "/" : String(above)) { directories.append(directory) }
        }
        let isOwn = [0, geteuid()].contains(socket.owner)
        let trust = SocketTrust(userID: geteuid(), daemonUserID: isOwn ? nil : Self.userID(of: "diffabled"))
        if let objection = trust.objection(to: socket, in: directories) {
            throw .untrustedSocket(self, objection: objection)
        }
        return real
    }

    private static func status(of path: String) -> SocketTrust.FileStatus? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return SocketTrust.FileStatus(path: path, owner: status.st_uid, mode: UInt32(status.st_mode))
    }

    private static func userID(of name: String) -> UInt32? {
        var user = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var texts = [CChar](repeating: 0, count: 4_096)
        guard getpwnam_r(name, &user, &texts, texts.count, &found) == 0, found != nil else { return nil }
        return user.pw_uid
    }
}
