import Diffable

/// Who asks for something: the user and groups that the kernel gave for a client when it connected.
package struct Peer: Sendable, Equatable {
    package let userID: UInt32
    /// The primary one.
    package let groupID: UInt32
    /// The others, in order.
    package let groups: [UInt32]
    /// Whether it may do everything. Root may, and so may the user that runs the daemon, who has the daemon's files and
    /// memory anyway.
    package let isPrivileged: Bool
    /// The lists that it mirrors, and alone may change.
    package var mirrored: Set<ListName> = []
    /// The lists that exist for it; nil: all.
    package var scope: ListScope?

    package init(userID: UInt32, groupID: UInt32, groups: [UInt32] = [], isPrivileged: Bool = false) {
        self.userID = userID
        self.groupID = groupID
        self.groups = groups.sorted()
        self.isPrivileged = isPrivileged
    }

    /// The daemon itself, and programs that have a store of their own.
    package static let daemon = Peer(userID: 0, groupID: 0, isPrivileged: true)

    /// Whether it did not give the list up. This gives no right.
    package func isInScope(_ list: ListName) -> Bool { scope?.contains(list) ?? true }

    /// O(log n) in its groups.
    package func isMember(of group: UInt32) -> Bool {
        if group == groupID { return true }
        var range = groups.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if groups[middle] == group { return true }
            range = groups[middle] < group ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return false
    }
}
