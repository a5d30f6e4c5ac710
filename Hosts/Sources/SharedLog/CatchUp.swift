/// Where the daemon's copy of a list is.
package struct Replica: Hashable, Sendable {
    package var batch: Int
    package var revision: Int
    /// Nil when the daemon does not know it.
    package var chain: String?

    package init(batch: Int, revision: Int, chain: String?) {
        self.batch = batch
        self.revision = revision
        self.chain = chain
    }

    package init(_ position: Position) {
        self.init(batch: position.batch, revision: position.revision, chain: position.chain)
    }

    package func isAt(_ position: Position) -> Bool { batch == position.batch && chain == position.chain }
}

/// What a replica lacks, judged by a head that was read from the engine itself, not from a watch.
package enum CatchUp: Hashable, Sendable {
    case nothing
    /// The batches from the next one on.
    case batches
    case state(CheckpointPlace)
    /// The replica is in a past that the engine does not have: an older copy of the engine was restored.
    case newEpoch
    /// All of it, from the first batch on: the replica does not know where it is, and no state leads further than it
    /// is.
    case anew

    package init(_ replica: Replica, to head: Head) {
        let position = head.position
        if replica.isAt(position) {
            self = .nothing
        } else if replica.chain != nil {
            if replica.batch >= position.batch {
                self = .newEpoch
            } else if replica.batch + 1 >= head.oldest {
                self = .batches
            } else {
                // The oldest batches go only when a state is in force that stands for them.
                self = head.checkpoint.map { .state($0) } ?? .newEpoch
            }
        } else if let place = head.checkpoint, place.position.batch > replica.batch {
            self = .state(place)
        } else {
            self = .anew
        }
    }

    /// Whether a text that the engine has as the next one goes on where the replica is. If not, the two went apart
    /// before.
    package static func goesOn(_ text: String, after replica: Replica) -> Bool {
        guard let facts = BatchFacts(text) else { return true }
        return facts.batch == replica.batch + 1 && facts.after == replica.chain
    }
}
