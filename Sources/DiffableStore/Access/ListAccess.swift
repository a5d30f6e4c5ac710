import Diffable

/// Whom a list belongs to, and who may what with it: the rule is that of files (path_resolution(7)).
package struct ListAccess: Sendable, Equatable {
    package var owner: UInt32
    package var group: UInt32
    package var mode: AccessMode

    package init(owner: UInt32, group: UInt32, mode: AccessMode) {
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    /// The first of owner, group and others that somebody belongs to decides, also when the next would allow more. Costs
    /// two comparisons, and a search in the peer's groups for one who is not the owner.
    package func rights(of peer: Peer) -> Rights {
        if peer.isPrivileged { return .all }
        if peer.userID == owner { return Rights(bits: mode.bits >> 6) }
        if peer.isMember(of: group) { return Rights(bits: mode.bits >> 3) }
        return Rights(bits: mode.bits)
    }

    /// Whether it is the peer's to say who may what, and to delete.
    package func isGoverned(by peer: Peer) -> Bool { peer.isPrivileged || peer.userID == owner }
}

/// What somebody may do with a list.
package struct Rights: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    fileprivate init(bits: UInt16) { self.init(rawValue: bits & 6) }

    package static let read = Rights(rawValue: 4)
    package static let write = Rights(rawValue: 2)
    package static let all: Rights = [.read, .write]
}

/// What was said of a list's access, by whoever made it or changed it since; also what somebody wants to change of it.
package struct AccessRecord: Sendable, Equatable {
    /// Nil for a list that is older than owners.
    package var owner: UInt32?
    package var group: UInt32?
    /// Nil: as the configuration says for lists of such a name, now and whenever that changes.
    package var mode: AccessMode?

    package init(owner: UInt32? = nil, group: UInt32? = nil, mode: AccessMode? = nil) {
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    var isEmpty: Bool { self == AccessRecord() }

    /// With what is said of the change, and the rest as it was.
    package func changed(by change: AccessRecord) -> AccessRecord {
        AccessRecord(owner: change.owner ?? owner, group: change.group ?? group, mode: change.mode ?? mode)
    }
}
