/// The position of the daemon's copy of a list.
package struct Replica: Hashable, Sendable {
    package var batch: Int
    package var revision: Int
    /// The chain at that position; nil when the daemon does not know it.
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

/// The data that a replica lacks, according to a head that was read from etcd itself, not from a watch.
package enum CatchUp: Hashable, Sendable {
    case nothing
    /// The batches from the next one on.
    case batches
    case state(CheckpointPlace)
    /// The replica has a history that etcd does not have: an older copy of etcd was restored.
    case newEpoch
    /// Everything from the first batch on: the replica's position is unknown, and no checkpoint is after it.
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
                // Old batches are deleted only after a checkpoint that includes them is in force.
                self = head.checkpoint.map { .state($0) } ?? .newEpoch
            }
        } else if let place = head.checkpoint, place.position.batch > replica.batch {
            self = .state(place)
        } else {
            self = .anew
        }
    }

    /// Whether the next text in etcd continues from the replica. If not, the two diverged earlier.
    package static func goesOn(_ text: String, after replica: Replica) -> Bool {
        guard let facts = BatchFacts(text) else { return true }
        return facts.batch == replica.batch + 1 && facts.after == replica.chain
    }
}
