import Diffable

/// Why a request to the store is refused.
// Indirect, so that a result needs no room for an error, which is rare.
package indirect enum StoreError: Error, Sendable, Equatable {
    // The operation is impossible; the list is unchanged.
    case noSuchList(ListName)
    case listExists(ListName)
    /// A deleted list is to come back, or another one to be renamed, and there is a list of that name.
    case nameTaken(ListName)
    /// None that was deleted is kept for this peer.
    case noDeletedList(ListName, ageMax: Int, DeletionLoss?)
    /// It would not come back if it were deleted, and who asks wants that.
    case notKept(ListName, DeletionLoss)
    /// A list to restore exists, and how many others of those to restore do.
    case restoredListExists(ListName, others: Int)
    case tooManyLists(max: Int)
    /// One owner has too many lists.
    case tooManyListsOfUser(UInt32, max: Int)
    /// The lists of this list's owner would be too long together.
    case contentOfUserTooLong(ListName, UInt32, max: Int)
    /// The peer may see the list, and may not do this.
    case permissionDenied(ListName, Denial)
    case revisionMismatch(ListName, expected: Int, current: Int)
    /// The revision is no longer kept, or does not exist yet. `oldest` is the oldest one that is kept.
    case noSuchRevision(ListName, Int, oldest: Int, current: Int)
    /// A list is to be read at a revision that there has not been yet.
    case revisionNotMade(ListName, Int, current: Int)
    /// The same key was used for another change.
    case requestKeyReused(ListName, RequestKey)
    /// One operation of a transaction, or of the state that an `apply` is built from.
    case transaction(ListName, TransactionError)
    /// The state that an `apply` asks for.
    case operation(ListName, OperationError)
    /// The same, when an item is in it twice.
    case repetition(ListName, Repetition)
    /// An item does not fit the schemas of the list, or one that is there does not fit new ones.
    case invalidContent(ListName, InvalidContent)

    /// The list is shared, and what is asked for is not possible for shared lists.
    case notForShared(ListName, SharedDenial)
    /// A change of a shared list that is longer than the log takes, in bytes.
    case sharedChangeTooLong(ListName, max: Int)

    // The machine refused.
    /// The engine does not answer, and nothing was sent to it. The shared list is unchanged.
    case unreachable(ListName)
    /// The engine does not answer, so whether what is here is new enough for a read is not known.
    case newestUnknown(ListName)
    /// A mirror is to be read as its source is now.
    case newestElsewhere(ListName, MirrorSource)
    /// The engine was asked, and has not answered. Whether a shared list has changed shows later.
    case outcomeUnknown(ListName)
    /// The disk is full. Every list is unchanged, and the store goes on.
    case noSpace
    /// Nobody knows whether the transaction is on disk. The store refuses changes until the daemon is started again.
    case storageFailed(reason: String)
    /// The lists could not be read at the start. None is served, and nothing was changed.
    case unreadable(StoreOpeningError)
    case shuttingDown
}

/// What somebody lacks the right to.
package enum Denial: Sendable, Equatable {
    /// Or the name belongs to a list that the peer may not read: both must look the same.
    case creation
    case change
    /// To ask the list's handler.
    case asking
    /// To be the list's handler.
    case handling
    case deletion
    case renaming
    /// To set owner, group or mode.
    case governing
    /// To set the schemas.
    case schemas
    /// To make the list a mirror, or an ordinary list of a mirror.
    case mirroring
    /// To change a mirror, which only follows its source.
    case mirrored(MirrorSource)
    case givingAway
    case foreignGroup(UInt32)
    /// To learn something of the contents, with the right to change them only.
    case readingWhileWriteOnly
    /// The operations do not fit the contents. The reason is not told to someone who may only change them.
    case unfitWhileWriteOnly
}

/// What shared lists have not.
package enum SharedDenial: Sendable, Equatable {
    case schemas
    case renaming
    case deletionAtRevision
    /// A user or a group that has a number only, on this host.
    case namelessUser(UInt32)
    case namelessGroup(UInt32)
    case mirroring
    case replacing
}

extension SharedDenial: CustomStringConvertible {
    package var description: String {
        switch self {
        case .schemas: "it has no schemas"
        case .renaming: "it is not renamed"
        case .deletionAtRevision: "it is deleted at whatever revision it is: leave `ifRevision` out"
        case .namelessUser(let user):
            "users are known by their names there, and the user \(user) has none on this host: give it one, or name another as "
                + "the owner"
        case .namelessGroup(let group):
            "groups are known by their names there, and the group \(group) has none on this host: give it one, or name another"
        case .mirroring: "it is no mirror"
        case .replacing: "it is not replaced by a backup: `apply` makes it what it is to be"
        }
    }
}

extension Denial: CustomStringConvertible {
    package var description: String {
        switch self {
        case .creation:
            "may not be created by this user: the configuration (`access`) says who may create such lists, and a name that is "
                + "taken by a list one may not see is not free"
        case .change: "may not be changed by this user; its owner or root can allow it (`setAccess`, diffablectl chmod)"
        case .asking:
            "may not be asked anything by this user; its owner or root can allow it (`setAccess`, diffablectl chmod)"
        case .handling:
            "is answered for by those who may change it, and its proposals by those who may see it too; its owner or root can "
                + "allow it (`setAccess`, diffablectl chmod)"
        case .deletion: "is deleted by its owner or by root only"
        case .renaming: "is renamed by its owner or by root only"
        case .governing: "belongs to somebody else: its owner or root says who may do what with it"
        case .schemas: "belongs to somebody else: its owner or root says what its contents must look like"
        case .mirroring: "belongs to somebody else: its owner or root says what it is a mirror of"
        case .mirrored(let source):
            "is a mirror of \(source), and changes when that does: change it there (or make this one an ordinary list: `mirror` "
                + "with `\"end\":true`, diffablectl mirror --end)"
        case .givingAway: "is given to another owner by root only"
        case .foreignGroup(let group):
            "is given to a group by a member of it or by root, and this user is not in group \(group)"
        case .readingWhileWriteOnly:
            "may not be read by this user: leave `dryRun` and `ifRevision` out, which would tell about it"
        case .unfitWhileWriteOnly:
            "may not be read by this user, and the operations or ids do not fit what is in it; nothing was changed"
        }
    }
}

extension DeletionLoss: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLong(let max): "it was too long, as `deletedLengthMax` is \(max) bytes"
        case .madeRoom(let max):
            "it went to make room for others, as `deletedLengthMax` is \(max) bytes for all together"
        case .tooOld: "it was deleted too long ago"
        case .leased: "it was leased, and was to go with its connection"
        case .madeRoomForLater(let count): "\(count) others of its name were deleted after it, and no more are kept"
        case .unwanted: "it was deleted for good"
        case .keepsNone: "the configuration says that none is kept"
        }
    }
}

extension DeletionLoss {
    /// What speaks against it before the deletion.
    fileprivate var reasonBefore: String {
        switch self {
        case .tooLong(let max): "it is too long: `deletedLengthMax` is \(max) bytes"
        case .keepsNone: "the configuration says that no deleted list is kept (`deletedLengthMax`, `historyAgeMax`)"
        case .madeRoom, .tooOld, .leased, .madeRoomForLater, .unwanted: "\(self)"
        }
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSuchList(let list): "there is no list \(quoted(list)); create it, or see `lists` for those there are"
        case .listExists(let list): "there is a list \(quoted(list)) already; delete it first, or ask with `ifAbsent`"
        case .nameTaken(let list):
            "there is a list \(quoted(list)) already; name another for the one to come (`as` of `undeleteList`, `to` of "
                + "`renameList`), or rename or delete the one that is there"
        case .noDeletedList(let list, let ageMax, let loss):
            "no deleted list \(quoted(list)) is kept: \(loss.map(\.description) ?? "this user deleted none lately"); deleted "
                + "lists are kept for \(ageMax) s (`historyAgeMax`) while there is room (`deletedLengthMax`); `lists` shows "
                + "them with `deleted`"
        case .notKept(let list, let loss):
            "the list \(quoted(list)) could not be brought back, because \(loss.reasonBefore); it was not deleted: delete it "
                + "for good (`\"keep\":\"never\"`), or take a backup of it first"
        case .restoredListExists(let list, let others):
            "there is a list \(quoted(list)) already\(others == 0 ? "" : ", and \(others) more of those to restore"); nothing "
                + "was restored: delete what is there, or replace it (`\"replace\":true`, `diffablectl restore --replace`)"
        case .tooManyLists(let max): "there are \(max) lists, which is the limit `listsMax`; delete one, or raise it"
        case .tooManyListsOfUser(let owner, let max):
            "the user \(owner) has \(max) lists, which is the limit `listsPerUserMax`; delete one, or have it raised"
        case .contentOfUserTooLong(let list, let owner, let max):
            "with this change of the list \(quoted(list)) the lists of the user \(owner) would hold more than the limit "
                + "`contentPerUserMax` of \(max) bytes (ids, kinds and contents, and 64 for each item); nothing was changed: "
                + "delete what is not needed, or have it raised"
        case .permissionDenied(let list, let denial): "the list \(quoted(list)) \(denial)"
        case .revisionMismatch(let list, let expected, let current):
            "the list \(quoted(list)) is at revision \(current), not \(expected); read it again and retry"
        case .noSuchRevision(let list, let revision, let oldest, let current)
        where oldest == current && revision < oldest:
            "of the list \(quoted(list)) only the revision \(current), which is the newest, is kept: there is nothing to go back to"
        case .noSuchRevision(let list, let revision, let oldest, let current):
            "of the list \(quoted(list)) the revisions \(oldest) to \(current) are kept, and \(revision) is none of them; "
                + "`history` shows them"
        case .revisionNotMade(let list, let revision, let current):
            "the list \(quoted(list)) is at revision \(current), and was never at \(revision): that is another list's, or one of an "
                + "earlier list of this name (compare the `epoch`)"
        case .requestKeyReused(let list, let key):
            "the request key \"\(key)\" stands for another change of the list \(quoted(list)) already; send a change again "
                + "exactly as it was, and a new one under a new key"
        case .transaction(let list, let error):
            "operation \(error.index) on the list \(quoted(list)) is impossible: \(error.reason)"
        case .operation(let list, let reason): "the state for the list \(quoted(list)) is impossible: \(reason)"
        case .repetition(let list, let repetition):
            "the state for the list \(quoted(list)) has the item \"\(repetition.item)\" twice, at \(repetition.first) and "
                + "at \(repetition.second); each id stands once in a list"
        case .invalidContent(let list, let invalid) where invalid.isExisting:
            "the list \(quoted(list)) does not fit these schemas, and they were not set (change what does not fit, or leave what is "
                + "there as it is with `keep`): \(invalid.sentence)"
        case .invalidContent(let list, let invalid):
            "\(invalid.operation.map { "operation \($0) on " } ?? "")the list \(quoted(list)) does not fit its schemas, and nothing was "
                + "changed (`schemas` shows what the contents must look like): \(invalid.sentence)"
        case .notForShared(let list, let denial):
            "the list \(quoted(list)) is shared by several hosts: \(denial)"
        case .sharedChangeTooLong(let list, let max):
            "this change of the shared list \(quoted(list)) is longer than \(max) bytes, which is what one change of such a list may "
                + "take; nothing was changed: make several"
        case .unreachable(let list):
            "the list \(quoted(list)) is shared by several hosts, and what keeps it cannot be reached from here; nothing was "
                + "changed, and reading goes on (`lists` says since when): retry, or see to diffabled-etcd and etcd"
        case .newestUnknown(let list):
            "the list \(quoted(list)) is shared by several hosts, and what keeps it did not say in time whether what is here is new "
                + "enough: retry, read what is here (leave `mostRecent` and `notOlderThan` out), or see to diffabled-etcd and etcd"
        case .newestElsewhere(let list, let source):
            "the list \(quoted(list)) is a mirror of \(source), and what is newest is not known here: read it there, or leave "
                + "`mostRecent` out"
        case .outcomeUnknown(let list):
            "the list \(quoted(list)) is shared by several hosts, and what keeps it was asked and has not answered; whether this was "
                + "changed is unknown: retry under the same `requestKey`, here or on another host, or read the list later"
        case .noSpace:
            "the disk that holds the state directory is full; nothing was changed: free some space on it, or delete lists for "
                + "good (`\"keep\":\"never\"`), and retry"
        case .storageFailed(let reason):
            "storage failed (\(reason)); whether this was stored is unknown: start the daemon again and retry under the same "
                + "`requestKey`, or read the list"
        case .unreadable(let error): "the lists are not served: \(error)"
        case .shuttingDown: "the daemon is shutting down; connect again when it is back"
        }
    }

    private func quoted(_ list: ListName) -> String { list.description.debugDescription }
}
