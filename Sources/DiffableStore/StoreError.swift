import Diffable

/// Why a request to the store is refused.
package enum StoreError: Error, Sendable, Equatable {
    // The operation is impossible; the list is unchanged.
    case noSuchList(ListName)
    case listExists(ListName)
    case tooManyLists(max: Int)
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

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSuchList(let list): "there is no list \(quoted(list)); create it, or see `lists` for those there are"
        case .listExists(let list): "there is a list \(quoted(list)) already; delete it first, or ask with `ifAbsent`"
        case .tooManyLists(let max): "there are \(max) lists, which is the limit `listsMax`; delete one, or raise it"
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
