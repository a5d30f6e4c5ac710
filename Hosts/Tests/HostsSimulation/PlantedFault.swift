/// A deliberate fault, to prove that a check detects it.
package enum PlantedFault: String, CaseIterable, Sendable {
    /// etcd accepts each compare-and-swap without a look at the head.
    case swapWithoutCompare
    /// etcd forgets the tickets of waiting hosts.
    case noTickets
    /// One daemon does not get missed batches.
    case noCatchUp
    /// A checkpoint lacks the last batches.
    case oldCheckpoint
    /// A connector reports an unsent change as done.
    case unsentIsDone
    /// A request with an answered key is executed again.
    case keyForgotten
    /// A host sometimes shows an earlier state.
    case backwards
    /// A daemon sometimes does not answer.
    case unanswered
    /// etcd forgets leases, so hosts grant new ones repeatedly.
    case leaseForgotten
    /// The daemons get no information on present hosts.
    case hostsUntold
    /// All hosts consider a present host absent, and etcd does not check its key.
    case hostDenied
}
