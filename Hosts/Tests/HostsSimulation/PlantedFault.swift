/// A mistake that is made on purpose, to see that a check finds it.
package enum PlantedFault: String, CaseIterable, Sendable {
    /// etcd takes each swap, whatever the head is.
    case swapWithoutCompare
    /// etcd forgets who waits to write.
    case noTickets
    /// One daemon is given no batches that it has missed.
    case noCatchUp
    /// A state that stands for the log lacks the last batches.
    case oldCheckpoint
    /// A connector says that a change is done which it has not sent.
    case unsentIsDone
    /// A key that was answered is carried out once more.
    case keyForgotten
    /// A host shows now and then what it showed before.
    case backwards
    /// A daemon gives no answer now and then.
    case unanswered
    /// etcd forgets leases, so hosts take others again and again.
    case leaseForgotten
    /// No daemon hears which hosts are there.
    case hostsUntold
    /// All take a host for gone that is there, and etcd does not compare whether it is.
    case hostDenied
}
