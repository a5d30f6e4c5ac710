import Diffable

/// The owner, group and mode of a list. They decide as for files (path_resolution(7)).
package struct ListAccess: Sendable, Equatable {
    package var owner: UInt32
    package var group: UInt32
    package var mode: AccessMode
    /// The source of a mirror, which only the mirroring client may change. Nil for an ordinary list.
    package var source: MirrorSource?
    /// Whether the list is shared, so that it changes in etcd first.
    package var isShared: Bool

    package init(
        owner: UInt32, group: UInt32, mode: AccessMode, source: MirrorSource? = nil, isShared: Bool = false
    ) {
        self.owner = owner
        self.group = group
        self.mode = mode
        self.source = source
        self.isShared = isShared
    }

    /// The rights of a peer. The first class that contains it (owner, group, others) decides, even if a later one would
    /// allow more. Costs two comparisons, and for non-owners a search in the peer's groups.
    package func rights(of peer: Peer) -> Rights {
        if peer.isPrivileged { return .all }
        if peer.userID == owner { return Rights(bits: mode.bits >> 6) }
        if peer.isMember(of: group) { return Rights(bits: mode.bits >> 3) }
        return Rights(bits: mode.bits)
    }

    /// Whether the peer may set the mode and delete the list.
    package func isGoverned(by peer: Peer) -> Bool { peer.isPrivileged || peer.userID == owner }
}

package struct Rights: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Write permission implies `ask`, because the peer could make the change itself.
    fileprivate init(bits: UInt16) {
        self.init(rawValue: bits & 7)
        if contains(.write) { insert(.ask) }
    }

    package static let read = Rights(rawValue: 4)
    package static let write = Rights(rawValue: 2)
    /// Sending requests to the list's handler.
    package static let ask = Rights(rawValue: 1)
    package static let all: Rights = [.read, .write, .ask]
}

/// The access attributes that were set for a list. Also used for a requested change of them.
package struct AccessRecord: Sendable, Equatable {
    /// Nil if a repair did not find the owner.
    package var owner: UInt32?
    package var group: UInt32?
    /// Nil to use the current configuration for the list's name, also after it is reloaded.
    package var mode: AccessMode?
    package var source: MirrorSource?
    /// The position of a shared list's replica in its log. Nil for a list that is not shared.
    package var sharing: SharedPosition?
    /// The names in a shared list, independent of their numbers on this host.
    package var ownerName: String?
    package var groupName: String?

    package init(
        owner: UInt32? = nil, group: UInt32? = nil, mode: AccessMode? = nil, source: MirrorSource? = nil,
        sharing: SharedPosition? = nil, ownerName: String? = nil, groupName: String? = nil
    ) {
        self.owner = owner
        self.group = group
        self.mode = mode
        self.source = source
        self.sharing = sharing
        self.ownerName = ownerName
        self.groupName = groupName
    }

    var isEmpty: Bool { self == AccessRecord() }

    /// A copy with the owner, group and mode that the change sets.
    package func changed(by change: AccessRecord) -> AccessRecord {
        AccessRecord(
            owner: change.owner ?? owner, group: change.group ?? group, mode: change.mode ?? mode,
            source: source, sharing: sharing, ownerName: ownerName, groupName: groupName)
    }
}
