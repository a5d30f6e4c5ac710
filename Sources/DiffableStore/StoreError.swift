import Diffable

// Indirect, so that a result reserves no space for an error, which is rare.
package indirect enum StoreError: Error, Sendable, Equatable {
    // The operation is impossible; the list is unchanged.
    case noSuchList(ListName)
    case listExists(ListName)
    /// An undeleted or renamed list needs a name that is already used.
    case nameTaken(ListName)
    /// No deleted list of this name is kept for this peer.
    case noDeletedList(ListName, ageMax: Int, DeletionLoss?)
    /// The caller requires that the list can be undeleted, which would not be possible.
    case notKept(ListName, DeletionLoss)
    /// A list to restore already exists, and so do these others.
    case restoredListExists(ListName, others: [ListName])
    case tooManyLists(max: Int)
    case tooManyListsOfUser(UInt32, max: Int)
    /// The lists of this list's owner would exceed the total limit.
    case contentOfUserTooLong(ListName, UInt32, max: Int)
    /// The peer may read the list, but lacks another right.
    case permissionDenied(ListName, Denial)
    case revisionMismatch(ListName, expected: Int, current: Int)
    /// The revision is no longer kept, or does not exist yet. `oldest` is the oldest that is kept.
    case noSuchRevision(ListName, Int, oldest: Int, current: Int)
    /// Fewer changes can be undone or redone than the request asks for.
    case nothingToUndo(ListName, isRedo: Bool, wanted: Int, found: Int, current: Int)
    /// A read names a revision that does not exist yet.
    case revisionNotMade(ListName, Int, current: Int)
    /// The same key was used for another change.
    case requestKeyReused(ListName, RequestKey)
    /// An operation of a transaction is impossible, or one that builds the state of an `apply`.
    case transaction(ListName, TransactionError)
    /// The state of an `apply` is impossible.
    case operation(ListName, OperationError)
    /// The state of an `apply` contains an item twice.
    case repetition(ListName, Repetition)
    /// A new item does not match the list's schemas, or an existing one does not match new schemas.
    case invalidContent(ListName, InvalidContent)

    case notForShared(ListName, SharedDenial)
    /// A change of a shared list exceeds the log's limit, in bytes.
    case sharedChangeTooLong(ListName, max: Int)

    // The operation was possible; the machine or another program failed.
    /// etcd does not answer, and nothing was sent to it. The shared list is unchanged.
    case unreachable(ListName)
    /// etcd has no space for the change.
    case engineFull(ListName)
    /// etcd does not answer, so it is unknown whether this host's copy is new enough for a read.
    case newestUnknown(ListName)
    /// A read asks for the newest state of a mirror, which only its source has.
    case newestElsewhere(ListName, MirrorSource)
    /// etcd received the change and has not answered. It is unknown whether the shared list has changed.
    case outcomeUnknown(ListName)
    /// The disk is full. All lists are unchanged, and the store keeps running.
    case noSpace
    /// It is unknown whether the transaction is on disk. The store refuses changes until the daemon is restarted.
    case storageFailed(reason: String)
    /// The lists could not be read at startup. None is served, and nothing was changed.
    case unreadable(StoreOpeningError)
    case shuttingDown
}

/// The action that the peer has no right to.
package enum Denial: Sendable, Equatable {
    /// Creating a list. Also used if the name belongs to a list that the peer cannot read, because the two cases have
    /// to look the same.
    case creation
    /// The connection gave the name up.
    case scope
    case change
    /// Sending requests to the list's handler.
    case asking
    /// Becoming the list's handler.
    case handling
    case deletion
    case renaming
    /// Setting owner, group or mode.
    case governing
    case schemas
    /// Making the list a mirror, or making a mirror an ordinary list.
    case mirroring
    /// Changing a mirror, which only follows its source. The source is nil for a peer that cannot read the list.
    case mirrored(MirrorSource?)
    case givingAway
    case foreignGroup(UInt32)
    /// Learning something about the contents with write permission only.
    case readingWhileWriteOnly
    /// The operations do not match the contents. The reason is hidden from a peer with write permission only.
    case unfitWhileWriteOnly
}

/// Features that shared lists do not support.
package enum SharedDenial: Sendable, Equatable {
    case schemas
    case renaming
    case deletionAtRevision
    /// A user without a name on this host.
    case namelessUser(UInt32)
    case namelessGroup(UInt32)
    case mirroring
    case replacing
}
