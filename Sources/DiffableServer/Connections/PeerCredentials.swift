import DiffableStore
import Glibc
import Logging

/// Who is at the other end of a socket, as the kernel saw it when the connection was made (`SO_PEERCRED` and
/// `SO_PEERGROUPS` of unix(7)). What becomes of the process or of the user's groups afterwards changes nothing.
struct PeerCredentials: Equatable {
    let processID: Int
    let userID: UInt32
    let groupID: UInt32
    /// The supplementary groups.
    let groups: [UInt32]

    /// Nil when the socket has no such peer.
    init?(of descriptor: CInt) {
        // The `ucred` of glibc, which is for those who define _GNU_SOURCE.
        var credentials: (processID: pid_t, userID: uid_t, groupID: gid_t) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        guard let groups = Self.groups(of: descriptor) else { return nil }
        processID = Int(credentials.processID)
        userID = credentials.userID
        groupID = credentials.groupID
        self.groups = groups
    }

    /// For the log.
    var metadata: Logger.Metadata { ["peerPID": "\(processID)", "peerUID": "\(userID)"] }

    /// Most users are in a few groups; who is in more is asked again with room for all.
    private static func groups(of descriptor: CInt) -> [UInt32]? {
        var count = 32
        while true {
            var length = socklen_t(count * MemoryLayout<gid_t>.stride)
            var result: CInt = 0
            let groups = [gid_t](unsafeUninitializedCapacity: count) { buffer, initialized in
                result = getsockopt(descriptor, SOL_SOCKET, peerGroups, buffer.baseAddress, &length)
                initialized = result == 0 ? Int(length) / MemoryLayout<gid_t>.stride : 0
            }
            if result == 0 { return groups }
            // Then `length` says how much room it takes, at most for 65,536 groups.
            let needed = Int(length) / MemoryLayout<gid_t>.stride
            guard errno == ERANGE, needed > count else { return nil }
            count = needed
        }
    }

    /// `SO_PEERGROUPS` of <asm-generic/socket.h>, which Glibc's module leaves out.
    private static let peerGroups: CInt = 59
}

extension Peer {
    /// One of whom nothing is known may what everybody may.
    ///
    /// - Parameter daemonUserID: whom the daemon runs as.
    init(_ credentials: PeerCredentials?, daemonUserID: UInt32) {
        guard let credentials else {
            self.init(userID: .max, groupID: .max)
            return
        }
        self.init(
            userID: credentials.userID, groupID: credentials.groupID, groups: credentials.groups,
            isPrivileged: [0, daemonUserID].contains(credentials.userID))
    }
}
