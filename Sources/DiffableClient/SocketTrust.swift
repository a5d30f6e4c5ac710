#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Decides whether a client may use a socket: only trusted users can have created it, and one of them serves it.
///
/// The trusted users are root, the client's user and the user `diffabled`. Root also trusts the socket's owner, because root
/// connects to every user's daemon.
///
/// The socket, its directory and all directories above it must belong to trusted users, and no other user can write to them. A
/// directory with the sticky bit, like /tmp, may be writable: others cannot replace files there.
struct SocketTrust {
    struct FileStatus {
        var path: String
        var owner: UInt32
        var mode: UInt32
    }

    let userID: UInt32
    let daemonUserID: UInt32?

    /// The reason not to use the socket, with a remedy; nil if there is none. `directories` begins with the socket's own
    /// directory.
    func objection(to socket: FileStatus, in directories: [FileStatus]) -> String? {
        guard trusts(socket.owner, owner: socket.owner) else {
            return
                "it belongs to the user \(socket.owner), and not to you, root or the daemon's user; start a daemon of your own"
        }
        for directory in directories {
            guard trusts(directory.owner, owner: socket.owner) else {
                return
                    "\(directory.path) belongs to the user \(directory.owner), who could put another socket there; let the "
                    + "daemon listen in a directory of your own or of root's"
            }
            if directory.mode & 0o022 != 0, directory.mode & 0o1000 == 0 {
                return
                    "others can write in \(directory.path) (mode \(String(directory.mode & 0o7777, radix: 8))), and so put "
                    + "another socket there; remove that permission (chmod go-w \(directory.path))"
            }
        }
        return nil
    }

    func objection(toServerOf server: UInt32, owner: UInt32) -> String? {
        if trusts(server, owner: owner) { return nil }
        return "the program that listens there runs as the user \(server), and not as you, root or the daemon's user; "
            + "start a daemon of your own"
    }

    private func trusts(_ user: UInt32, owner: UInt32) -> Bool {
        [0, userID].contains(user) || user == daemonUserID || userID == 0 && user == owner
    }
}

struct TrustedSocket {
    /// Without symbolic links.
    let path: String
    fileprivate let owner: UInt32
    fileprivate let named: SocketPath

    /// Throws if an untrusted user listens on the connected socket. The kernel recorded the user when the server began to listen
    /// (SO_PEERCRED), so no change to the path matters here.
    func checkServer(at descriptor: CInt) throws(ClientError) {
        guard let server = Self.serverUserID(of: descriptor) else { throw named.failure(errno) }
        if let objection = SocketTrust(judging: [server]).objection(toServerOf: server, owner: owner) {
            throw .untrustedSocket(named, objection: objection)
        }
    }

    private static func serverUserID(of descriptor: CInt) -> UInt32? {
        #if canImport(Darwin)
            var userID = uid_t()
            var groupID = gid_t()
            return getpeereid(descriptor, &userID, &groupID) == 0 ? userID : nil
        #else
            // glibc declares `ucred` only with _GNU_SOURCE.
            var server: (processID: pid_t, userID: uid_t, groupID: gid_t) = (0, 0, 0)
            var length = socklen_t(MemoryLayout.size(ofValue: server))
            return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &server, &length) == 0 ? server.userID : nil
        #endif
    }
}

extension SocketTrust {
    /// Looks up the user `diffabled` only if one of these users is neither root nor the client's.
    fileprivate init(judging users: [UInt32]) {
        userID = geteuid()
        daemonUserID = users.allSatisfy([0, geteuid()].contains) ? nil : Self.userID(of: "diffabled")
    }

    private static func userID(of name: String) -> UInt32? {
        var user = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var texts = [CChar](repeating: 0, count: 4_096)
        guard getpwnam_r(name, &user, &texts, texts.count, &found) == 0, found != nil else { return nil }
        return user.pw_uid
    }
}

extension SocketPath {
    /// A connected socket for programs that use the protocol without this library. The caller closes it.
    package func connected() throws(ClientError) -> CInt {
        guard let descriptor = try connected(waits: true) else { throw failure(EAGAIN) }
        return descriptor
    }

    /// A connected socket with a trusted server; nil if the kernel cannot queue another client without waiting.
    package func connected(waits: Bool) throws(ClientError) -> CInt? {
        let socket = try trusted()
        guard let descriptor = Self.connectedSocket(socket.path, waits: waits) else {
            let code = errno
            if code == EAGAIN { return nil }
            throw failure(code)
        }
        do throws(ClientError) { try socket.checkServer(at: descriptor) } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    fileprivate func failure(_ code: CInt) -> ClientError {
        [EACCES, EPERM].contains(code)
            ? .noPermission(self) : .noConnection(self, reason: String(cString: strerror(code)))
    }

    /// Resolves symbolic links, and checks the socket and every directory above it. The checks run from the root directory down.
    /// Once a directory is known to be trusted, only trusted users can change its entries, so no other user can redirect a name
    /// after its check.
    func trusted() throws(ClientError) -> TrustedSocket {
        guard let resolved = realpath(path, nil) else { throw failure(errno) }
        defer { free(resolved) }
        let real = String(cString: resolved)
        var directories: [SocketTrust.FileStatus] = []
        // As bytes: a slash and a combining character after it are one `Character`.
        for slash in real.utf8.indices where real.utf8[slash] == UInt8(ascii: "/") {
            directories.insert(try status(of: slash == real.startIndex ? "/" : String(real[..<slash])), at: 0)
        }
        let socket = try status(of: real)
        let trust = SocketTrust(judging: [socket.owner] + directories.map(\.owner))
        if let objection = trust.objection(to: socket, in: directories) {
            throw .untrustedSocket(self, objection: objection)
        }
        return TrustedSocket(path: real, owner: socket.owner, named: self)
    }

    /// Throws for a link, since links were resolved before: another user has just replaced a file.
    private func status(of path: String) throws(ClientError) -> SocketTrust.FileStatus {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw failure(errno) }
        guard status.st_mode & S_IFMT != S_IFLNK else { throw failure(ELOOP) }
        return SocketTrust.FileStatus(path: path, owner: status.st_uid, mode: UInt32(status.st_mode))
    }
}
