import Diffable

extension SharedDenial: CustomStringConvertible {
    package var description: String {
        switch self {
        case .schemas:
            "shared lists cannot have schemas; nothing was changed. If you need schemas, use a list that is not shared"
        case .renaming:
            "shared lists cannot be renamed; nothing was changed. Create a list with the new name, copy the contents to it, and "
                + "delete this one"
        case .deletionAtRevision:
            "`ifRevision` cannot be used to delete a shared list, and nothing was deleted: leave `ifRevision` out"
        case .namelessUser(let user):
            "shared lists identify users by name, and user \(user) has no name on this host; nothing was changed. Add that user "
                + "to the host's accounts, or choose another owner"
        case .namelessGroup(let group):
            "shared lists identify groups by name, and group \(group) has no name on this host; nothing was changed. Add "
                + "that group to the host's groups, or choose another one"
        case .mirroring: "shared lists cannot be mirrors; nothing was changed. Use another name for the mirror"
        case .replacing:
            "a backup cannot replace a shared list; nothing was restored. Use `apply` to replace its contents, or leave this list out"
        }
    }
}

extension Denial: CustomStringConvertible {
    package var description: String {
        switch self {
        case .creation:
            "you cannot create it: the configuration (`access`) does not allow it, or a list that you cannot see has this name; "
                + "choose another name, or ask an administrator"
        case .scope: "this connection gave it up (`restrict`); use another connection, or a list that it kept"
        case .change: "changing it needs write permission; ask its owner or root (`setAccess`)"
        case .asking:
            "sending requests to its handler needs execute or write permission; ask its owner or root (`setAccess`)"
        case .handling:
            "handling its requests needs write permission, and read permission for proposals; ask its owner or root (`setAccess`)"
        case .deletion: "only its owner or root can delete it"
        case .renaming: "only its owner or root can rename it"
        case .governing: "only its owner or root can change its owner, group or mode"
        case .schemas: "only its owner or root can set its schemas"
        case .mirroring: "only its owner or root can make it a mirror"
        case .mirrored(nil): "it cannot be changed here; ask its owner or root"
        case .mirrored(let source?):
            "it is a mirror of \(source). Change it there, or turn it into an ordinary list (`mirror` with `\"end\":true`)"
        case .givingAway: "only root can give it to another owner"
        case .foreignGroup(let group):
            "its owner can give it only to one of the owner's groups, and you are not a member of group \(group); ask root"
        case .readingWhileWriteOnly:
            "you cannot read it, and `dryRun` and `ifRevision` would reveal its contents: leave them out"
        case .unfitWhileWriteOnly:
            "an id does not exist or is already used, a content does not match a schema, or a limit is exceeded. You cannot read "
                + "the list, so the reason is hidden; ask its owner or root to check, or for read permission (`setAccess`)"
        }
    }
}

extension DeletionLoss: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLong(let max): "it was longer than \(max) bytes (`deletedLengthMax`)"
        case .madeRoom(let max):
            "it made room for later deletions, because `deletedLengthMax` is \(max) bytes for all deleted lists"
        case .tooOld: "it was deleted too long ago"
        case .leased: "leased lists are not kept when they are deleted"
        case .madeRoomForLater(let count):
            "\(count) lists of its name were deleted after it, and diffabled keeps no more"
        case .unwanted: "it was deleted for good"
        case .keepsNone: "the configuration keeps no deleted lists"
        }
    }
}

extension DeletionLoss {
    /// The reason in words for a list that is not deleted yet.
    fileprivate var reasonBefore: String {
        switch self {
        case .tooLong(let max): "it is longer than \(max) bytes (`deletedLengthMax`)"
        case .keepsNone: "the configuration keeps no deleted lists (`deletedLengthMax`, `historyAgeMax`)"
        case .madeRoom, .tooOld, .leased, .madeRoomForLater, .unwanted: "\(self)"
        }
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSuchList(let list):
            "there is no list \(quoted(list)) that you can see; create it, or choose one that `lists` shows"
        case .listExists(let list):
            "there is already a list \(quoted(list)); use the existing one with `\"ifAbsent\":true`, or delete it first"
        case .nameTaken(let list):
            "there is already a list \(quoted(list)), and nothing was changed; choose another name (`as` of `undeleteList`, `to` "
                + "of `renameList`), or rename or delete that list"
        case .noDeletedList(let list, let ageMax, let loss):
            "there is no deleted list \(quoted(list)) to restore: "
                + "\(loss.map(\.description) ?? "you deleted no list of this name lately"). Deleted lists are kept for \(ageMax) s "
                + "(`historyAgeMax`) while there is space (`deletedLengthMax`)"
        case .notKept(let list, let loss):
            "the list \(quoted(list)) was not deleted, because it could not be undeleted later: \(loss.reasonBefore). To "
                + "delete it for good, use `\"keep\":\"never\"`; back it up first if you may need it"
        case .restoredListExists(let list, let others) where others.isEmpty:
            "there is already a list \(quoted(list)); nothing was restored. Delete the existing list, or replace it "
                + "(`\"replace\":true`)"
        case .restoredListExists(let list, let others):
            "\(others.count + 1) of the lists to restore exist already (\(shown([list] + others))); nothing was restored. "
                + "Delete these lists, or replace them (`\"replace\":true`)"
        case .tooManyLists(let max):
            "diffabled would have more than \(max) lists (`listsMax`), and nothing was changed; delete some first, or ask an "
                + "administrator to raise the limit"
        case .tooManyListsOfUser(let owner, let max):
            "user \(owner) already has \(max) lists (`listsPerUserMax`), and nothing was changed; delete one of them, or ask an "
                + "administrator to raise the limit"
        case .contentOfUserTooLong(let list, let owner, let max):
            "this change of the list \(quoted(list)) would exceed the \(max) bytes (`contentPerUserMax`) that all lists of user "
                + "\(owner) can have (ids, kinds and contents, and 64 for each item); nothing was changed. Delete items or lists "
                + "of that user, or ask an administrator to raise the limit"
        case .permissionDenied(let list, .unfitWhileWriteOnly):
            "this change does not fit the contents of the list \(quoted(list)), and nothing was changed: "
                + "\(Denial.unfitWhileWriteOnly)"
        case .permissionDenied(let list, let denial): "permission denied for the list \(quoted(list)): \(denial)"
        case .revisionMismatch(let list, let expected, let current):
            "the list \(quoted(list)) is at revision \(current), not \(expected), and nothing was changed; read it again and retry"
        case .noSuchRevision(let list, let revision, let oldest, let current)
        where oldest == current && revision < oldest:
            "the list \(quoted(list)) has no revision \(revision): it keeps only revision \(current), the newest one"
        case .noSuchRevision(let list, let revision, let oldest, let current):
            "the list \(quoted(list)) has no revision \(revision); its history has revisions \(oldest) to \(current), which `history` lists"
        case .nothingToUndo(let list, let isRedo, _, 0, _):
            isRedo
                ? "the list \(quoted(list)) has no undone change that can be redone, and nothing was changed; only an undo after which "
                    + "nothing else was changed can be redone"
                : "the list \(quoted(list)) has no change that can be undone, and nothing was changed; `history` shows the changes that "
                    + "are kept"
        case .nothingToUndo(let list, let isRedo, let wanted, let found, _):
            "only \(found) change\(found == 1 ? "" : "s") of the list \(quoted(list)) can be \(isRedo ? "redone" : "undone"), not "
                + "\(wanted), and nothing was changed; `history` shows the changes that are kept"
        case .revisionNotMade(let list, let revision, let current):
            "revision \(revision) does not exist: the list \(quoted(list)) is at revision \(current). The revision may belong to another "
                + "list, or to an earlier one of this name; compare the `epoch`"
        case .requestKeyReused(let list, let key):
            "the request key \"\(key)\" was used for another change of the list \(quoted(list)), and nothing was changed now; "
                + "repeat a change exactly as it was, or use a new key for a new change"
        case .transaction(let list, let error):
            "the list \(quoted(list)): operation \(error.index) is impossible, and nothing was changed: \(error.reason)"
        case .operation(let list, let reason):
            "the state for the list \(quoted(list)) is impossible, and nothing was changed: \(reason)"
        case .repetition(let list, let repetition):
            "the state for the list \(quoted(list)) has the item \"\(repetition.item)\" twice, at \(repetition.first) and "
                + "at \(repetition.second), and nothing was changed; an id must be unique in its list"
        case .invalidContent(let list, let invalid) where invalid.isExisting:
            "the list \(quoted(list)) does not match these schemas, and they were not set: \(invalid.sentence)"
        case .invalidContent(let list, let invalid):
            "the list \(quoted(list)) does not match its schemas, and nothing was changed: \(invalid.sentence)"
        case .notForShared(let list, let denial):
            "the list \(quoted(list)) is shared between hosts: \(denial)"
        case .sharedChangeTooLong(let list, let max):
            "this change of the shared list \(quoted(list)) is longer than \(max) bytes, the limit for one change of a shared list; "
                + "nothing was changed. Split it into several changes"
        case .unreachable(let list):
            "cannot reach etcd for the shared list \(quoted(list)); nothing was changed, and reads still work (`lists` says since when "
                + "it is not live). Retry, or check diffabled-etcd and etcd"
        case .engineFull(let list):
            "etcd has used up its space, so the shared list \(quoted(list)) cannot be changed; nothing was changed, and reads still work. "
                + "Compact and defragment each member of etcd, then run `etcdctl alarm disarm` (shared-lists.md), and retry"
        case .newestUnknown(let list):
            "etcd did not confirm in time that this host has the newest state of the shared list \(quoted(list)). Retry, read this "
                + "host's copy (leave `mostRecent` and `notOlderThan` out), or check diffabled-etcd and etcd"
        case .newestElsewhere(let list, let source):
            "the list \(quoted(list)) is a mirror of \(source), so this daemon does not know the newest state: read it there, or leave "
                + "`mostRecent` out"
        case .outcomeUnknown(let list):
            "etcd did not answer for the shared list \(quoted(list)), so this change may have been made. Read the list before you "
                + "repeat the change, or repeat it with the same `requestKey`, here or on another host"
        case .noSpace:
            "the disk of the state directory is full; nothing was changed. Free some space on it, or delete lists for good "
                + "(`\"keep\":\"never\"`), and retry"
        case .storageFailed(let reason):
            "storage failed (\(reason)), and this change may have been made. Check the disk, restart the daemon, and read the list "
                + "before you repeat the change, or repeat it with the same `requestKey`"
        case .unreadable(let error): "the lists are not served: \(error)"
        case .shuttingDown:
            "the daemon is shutting down and did not carry out this request; send it again when the daemon is back"
        }
    }

    private func quoted(_ list: ListName) -> String { list.description.debugDescription }

    /// The first five names.
    private func shown(_ lists: [ListName]) -> String {
        let countMax = 5
        return lists.prefix(countMax).map(quoted).joined(separator: ", ") + (lists.count > countMax ? ", …" : "")
    }
}
