/// What the store has done since it was opened, for `status` and for tests.
package struct StoreStatistics: Sendable, Equatable {
    /// Committed transactions that changed something, creations and deletions included.
    package internal(set) var transactions = 0
    /// Groups that were written to the journal, with one sync each.
    package internal(set) var groups = 0
    /// The most transactions that one group had.
    package internal(set) var groupSizeMax = 0
    /// Transactions whose group is not settled yet.
    package internal(set) var pendingTransactions = 0
    /// Those that this host has appended to the logs of shared lists.
    package internal(set) var batches = 0
}
