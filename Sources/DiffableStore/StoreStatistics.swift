/// Counters since the store was opened, for `status` and for tests.
package struct StoreStatistics: Sendable, Equatable {
    /// Committed transactions with an effect, including creations and deletions.
    package internal(set) var transactions = 0
    /// Commit groups that were written to the journal, each with one sync.
    package internal(set) var groups = 0
    /// The number of transactions in the largest group.
    package internal(set) var groupSizeMax = 0
    /// Transactions in groups that are not settled.
    package internal(set) var pendingTransactions = 0
    /// Batches that this host has appended to the logs of shared lists.
    package internal(set) var batches = 0
}
