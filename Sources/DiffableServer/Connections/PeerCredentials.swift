import DiffableStore
import Glibc
import Logging

/// The process, user and groups of the peer when it connected, as the kernel reports them (`SO_PEERCRED` and
/// `SO_PEERGROUPS` of unix(7)). Later changes of the user's groups have no effect.
struct PeerCredentials: Equatable {
    let processID: Int
    let userID: UInt32
    let groupID: UInt32
    let groups: [UInt32]

    /// Nil if the socket has no such peer.
    init?(of descriptor: CInt) {
        // The `ucred` of glibc, which is available only with _GNU_SOURCE.
        var credentials: (processID: pid_t, userID: uid_t, groupID: gid_t) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        guard let groups = Self.groups(of: descriptor) else { return nil }
        processID = Int(credentials.processID)
        userID = UnmappedID.user.replaced(credentials.userID)
        groupID = UnmappedID.group.replaced(credentials.groupID)
        self.groups = groups.filter { UnmappedID.group.replaced($0) == $0 }
    }

    /// For the log.
    var metadata: Logger.Metadata { ["peerPID": "\(processID)", "peerUID": "\(userID)"] }

    /// Most users are in a few groups. For others, the call is repeated with room for all.
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
            // The kernel has set `length` to the required size, for at most 65,536 groups.
            let needed = Int(length) / MemoryLayout<gid_t>.stride
            guard errno == ERANGE, needed > count else { return nil }
            count = needed
        }
    }

    /// `SO_PEERGROUPS` of <asm-generic/socket.h>, which is missing in the Glibc module.
    private static let peerGroups: CInt = 59
}

/// The id that the kernel reports for every user or group that the daemon's user namespace does not map
/// (user_namespaces(7)). Many users share it, so no user may own anything by it.
struct UnmappedID: Equatable {
    /// Nil if the namespace maps all ids, as it does outside of containers.
    let id: UInt32?

    static let user = UnmappedID(map: text(of: "self/uid_map"), overflow: text(of: "sys/kernel/overflowuid"))
    static let group = UnmappedID(map: text(of: "self/gid_map"), overflow: text(of: "sys/kernel/overflowgid"))

    /// - Parameters:
    ///   - map: lines of three numbers; the last one is a count of ids.
    ///   - overflow: the id.
    init(map: String, overflow: String) {
        let counts = map.split(separator: "\n").map { UInt64($0.split(separator: " ").last ?? "") ?? 0 }
        id = counts.reduce(0, &+) >= UInt64(UInt32.max) ? nil : UInt32(overflow.prefix { $0.isNumber }) ?? 65534
    }

    /// The id, or `.max`, which no user has, if it is the unmapped one.
    func replaced(_ id: UInt32) -> UInt32 { id == self.id ? .max : id }

    /// The text of a file in /proc. Empty if it cannot be read.
    private static func text(of path: String) -> String {
        guard let file = fopen("/proc/\(path)", "re") else { return "" }
        defer { fclose(file) }
        return String(
            unsafeUninitializedCapacity: 1 << 16, initializingUTF8With: { fread($0.baseAddress, 1, $0.count, file) })
    }
}

extension Peer {
    /// An unknown peer gets the user and group id `.max`, which no user and no group has.
    /// - Parameter daemonUserID: the user that the daemon runs as.
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
