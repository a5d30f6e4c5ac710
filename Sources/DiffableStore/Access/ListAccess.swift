import Diffable

/// Who owns a list, and who may do what with it. The rule is that of files (path_resolution(7)).
package struct ListAccess: Sendable, Equatable {
    package var owner: UInt32
    package var group: UInt32
    package var mode: AccessMode
    /// What the list is a mirror of, so that only who mirrors it changes it; nil for an ordinary list.
    package var source: MirrorSource?
    /// Whether hosts share the list, so that it changes in the engine first.
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

    /// The rights of a peer. The first of owner, group and others that it belongs to decides, even if the next would
    /// allow more. Costs two comparisons, and for others than the owner a search in the peer's groups.
    package func rights(of peer: Peer) -> Rights {
        if peer.isPrivileged { return .all }
        if peer.userID == owner { return Rights(bits: mode.bits >> 6) }
        if peer.isMember(of: group) { return Rights(bits: mode.bits >> 3) }
        return Rights(bits: mode.bits)
    }

    /// Whether the peer may set the mode and delete the list.
    package func isGoverned(by peer: Peer) -> Bool { peer.isPrivileged || peer.userID == owner }
}

/// The rights that somebody has on a list.
package struct Rights: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Who may change a list may ask, too: it could do itself what it asks for.
    fileprivate init(bits: UInt16) {
        self.init(rawValue: bits & 7)
        if contains(.write) { insert(.ask) }
    }

    package static let read = Rights(rawValue: 4)
    package static let write = Rights(rawValue: 2)
    /// To ask the list's handler.
    package static let ask = Rights(rawValue: 1)
    package static let all: Rights = [.read, .write, .ask]
}

/// What was set of a list's access, when it was created or since. Also the change of it that somebody asks for.
package struct AccessRecord: Sendable, Equatable {
    /// Nil for a list whose owner a repair did not find.
    package var owner: UInt32?
    package var group: UInt32?
    /// Nil for what the configuration says for such a name, now and after each reload.
    package var mode: AccessMode?
    /// Nil for an ordinary list.
    package var source: MirrorSource?
    /// How far a list that hosts share has come in its log; nil for a list of this host alone.
    package var sharing: SharedPosition?
    /// Of a list that hosts share, whatever numbers they have on this one.
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

    /// This record with the owner, group and mode that the change sets; the rest stays.
    package func changed(by change: AccessRecord) -> AccessRecord {
        AccessRecord(
            owner: change.owner ?? owner, group: change.group ?? group, mode: change.mode ?? mode,
            source: source, sharing: sharing, ownerName: ownerName, groupName: groupName)
    }
}
