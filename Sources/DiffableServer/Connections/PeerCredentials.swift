import Glibc

/// Who is at the other end of a socket, as the kernel saw it when the connection was made (`SO_PEERCRED` of unix(7)).
struct PeerCredentials: Equatable {
    let processID: Int
    let userID: Int
    let groupID: Int

    /// Nil when the socket has no such peer.
    init?(of descriptor: CInt) {
        // The `ucred` of glibc, which is for those who define _GNU_SOURCE.
        var credentials: (processID: pid_t, userID: uid_t, groupID: gid_t) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        processID = Int(credentials.processID)
        userID = Int(credentials.userID)
        groupID = Int(credentials.groupID)
    }
}
