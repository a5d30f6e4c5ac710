/// What the daemon is told and asked: Sources of the daemon know it as the methods of an engine.
package protocol DaemonLink: Sendable {
    /// Gives a list what the engine has of it.
    func replicate(_ replication: Replication) async throws(DaemonError) -> ReplicaReply
    func settle(_ call: Int, _ outcome: CallOutcome) async throws(DaemonError)
    /// Says which hosts there are. What the others hold is over.
    func tell(hosts: [String]) async throws(DaemonError)
    /// The newest state that the daemon has of a list, in parts.
    func checkpoint(of list: String) async throws(DaemonError) -> CheckpointTexts
}

package enum DaemonError: Error, Hashable, Sendable {
    /// There is a list of that name which is not this one.
    case listExists
    /// The daemon said no, for any other reason.
    case refused(String)
    /// The connection has ended.
    case gone
}

package enum CallOutcome: String, Hashable, Sendable {
    case done, lost, unreachable, unknown
    /// A host is there that was not to be: nothing was changed.
    case refused
}

/// What one `replicate` says; with nothing in it, it asks where the replica is.
package struct Replication: Hashable, Sendable {
    package var list: String
    package var epoch: String
    package var access: String?
    package var batches: [String] = []
    package var state: StatePart?
    package var isLive: Bool?
    package var isGone = false

    package init(_ list: String, _ epoch: String) {
        self.list = list
        self.epoch = epoch
    }
}

/// One part of a whole state; the last one has the position.
package struct StatePart: Hashable, Sendable {
    package var text: String
    package var position: Position?

    package init(_ text: String, at position: Position?) {
        self.text = text
        self.position = position
    }
}

package struct ReplicaReply: Hashable, Sendable {
    package var replica: Replica
    /// False: a batch with the next number was refused by what it says.
    package var fits: Bool

    package init(_ replica: Replica, fits: Bool = true) {
        self.replica = replica
        self.fits = fits
    }
}

package struct CheckpointTexts: Hashable, Sendable {
    package var epoch: String
    package var position: Position
    package var parts: [String]

    package init(epoch: String, position: Position, parts: [String]) {
        self.epoch = epoch
        self.position = position
        self.parts = parts
    }
}

/// What the daemon asks of the engine. At most one is under way for each list.
package struct DaemonCall: Hashable, Sendable {
    package enum Request: Hashable, Sendable {
        /// - Parameter absent: hosts that must not be there.
        case append(text: String, to: Position, after: Int, afterChain: String, absent: [String] = [])
        case confirm(batch: Int, chain: String)
        case share(access: String)
        case remove(absent: [String] = [])
    }

    package var number: Int
    package var list: String
    package var epoch: String
    package var request: Request

    package init(_ number: Int, _ list: String, _ epoch: String, _ request: Request) {
        self.number = number
        self.list = list
        self.epoch = epoch
        self.request = request
    }
}

/// What the daemon says by itself.
package enum DaemonEvent: Hashable, Sendable {
    case call(DaemonCall)
    /// It has less of a list than it said.
    case behind(list: String, epoch: String, Replica)
    /// Another connector has taken the place of this one.
    case detached
}
