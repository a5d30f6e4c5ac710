import Diffable

/// Why a request to the store is refused.
// Indirect, so that a result has no room for an error that it seldom is.
package indirect enum StoreError: Error, Sendable, Equatable {
    // The operation is impossible; the list is unchanged.
    case noSuchList(ListName)
    case listExists(ListName)
    /// One that is to be restored, and how many others of these there are.
    case restoredListExists(ListName, others: Int)
    case tooManyLists(max: Int)
    /// The list is there for this peer, and what it asks is not its to do.
    case permissionDenied(ListName, Denial)
    case revisionMismatch(ListName, expected: Int, current: Int)
    /// It is not kept any more, or has not come yet. `oldest` is the oldest one that is kept.
    case noSuchRevision(ListName, Int, oldest: Int, current: Int)
    /// Another change was asked for under the same key.
    case requestKeyReused(ListName, RequestKey)
    /// One operation of a transaction, or of the state that an `apply` is built from.
    case transaction(ListName, TransactionError)
    /// The state that an `apply` asks for.
    case operation(ListName, OperationError)
    /// The same, where an item stands twice in it.
    case repetition(ListName, Repetition)

    // The machine refused.
    /// The disk is full; every list is as it was before, and the store goes on.
    case noSpace
    /// Whether the transaction is on disk is unknown, and the store takes no more until the daemon is started again.
    case storageFailed(reason: String)
    /// The lists could not be read when the daemon was started; nothing is served, and nothing was changed.
    case unreadable(StoreOpeningError)
    case shuttingDown
}

/// What somebody has not the right to.
package enum Denial: Sendable, Equatable {
    /// Or the name is that of a list that it may not read, which is to look the same.
    case creation
    case change
    case deletion
    /// To say who may what.
    case governing
    case givingAway
    case foreignGroup(UInt32)
    /// What would tell what is in a list to one who may only change it.
    case lookingWhileBlind
    /// The operations do not fit what is in the list, and why not is not told to one who may only change it.
    case unfitWhileBlind
}

extension Denial: CustomStringConvertible {
    package var description: String {
        switch self {
        case .creation:
            "may not be created by this user: the configuration (`access`) says who may create such lists, and a name that is "
                + "taken by a list one may not see is not free"
        case .change: "may not be changed by this user; its owner or root can allow it (`setAccess`, diffablectl chmod)"
        case .deletion: "is deleted by its owner or by root only"
        case .governing: "belongs to somebody else: its owner or root says who may do what with it"
        case .givingAway: "is given to another owner by root only"
        case .foreignGroup(let group):
            "is given to a group by a member of it or by root, and this user is not in group \(group)"
        case .lookingWhileBlind:
            "may be changed by this user and not be read: leave `dryRun` and `ifRevision` out, which would tell about it"
        case .unfitWhileBlind:
            "may be changed by this user and not be read, and the operations do not fit what is in it; nothing was changed"
        }
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSuchList(let list): "there is no list \(quoted(list)); create it, or see `lists` for those there are"
        case .listExists(let list): "there is a list \(quoted(list)) already; delete it first, or ask with `ifAbsent`"
        case .restoredListExists(let list, let others):
            "there is a list \(quoted(list)) already\(others == 0 ? "" : ", and \(others) more of those to restore"); nothing "
                + "was restored: delete what is there, or replace it (`\"replace\":true`, `diffablectl restore --replace`)"
        case .tooManyLists(let max): "there are \(max) lists, which is the limit `listsMax`; delete one, or raise it"
        case .permissionDenied(let list, let denial): "the list \(quoted(list)) \(denial)"
        case .revisionMismatch(let list, let expected, let current):
            "the list \(quoted(list)) is at revision \(current), not \(expected); read it again and retry"
        case .noSuchRevision(let list, let revision, let oldest, let current):
            "of the list \(quoted(list)) the revisions \(oldest) to \(current) are kept, and \(revision) is none of them; "
                + "`history` shows them"
        case .requestKeyReused(let list, let key):
            "the request key \"\(key)\" stands for another change of the list \(quoted(list)) already; send a change again "
                + "exactly as it was, and a new one under a new key"
        case .transaction(let list, let error):
            "operation \(error.index) on the list \(quoted(list)) is impossible: \(error.reason)"
        case .operation(let list, let reason): "the state for the list \(quoted(list)) is impossible: \(reason)"
        case .repetition(let list, let repetition):
            "the state for the list \(quoted(list)) has the item \"\(repetition.item)\" twice, at \(repetition.first) and "
                + "at \(repetition.second); each id stands once in a list"
        case .noSpace: "the disk that holds the state directory is full; nothing was changed: free some space and retry"
        case .storageFailed(let reason):
            "storage failed (\(reason)); whether this was stored is unknown: start the daemon again and retry under the same "
                + "`requestKey`, or read the list"
        case .unreadable(let error): "the lists are not served: \(error)"
        case .shuttingDown: "the daemon is shutting down; connect again when it is back"
        }
    }

    private func quoted(_ list: ListName) -> String { list.description.debugDescription }
}
