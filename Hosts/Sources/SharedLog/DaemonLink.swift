/// The requests to the daemon. The daemon's sources implement them as the methods of an engine.
package protocol DaemonLink: Sendable {
    /// Sends the daemon a part of a list's log or state.
    func replicate(_ replication: Replication) async throws(DaemonError) -> ReplicaReply
    func settle(_ call: Int, _ outcome: CallOutcome) async throws(DaemonError)
    /// Reports the present hosts to the daemon, which ends leases of all others.
    func tell(hosts: [String]) async throws(DaemonError)
    /// Returns the daemon's newest state of a list, in parts.
    func checkpoint(of list: String) async throws(DaemonError) -> CheckpointTexts
}

package enum DaemonError: Error, Hashable, Sendable {
    /// The daemon has another list of that name.
    case listExists
    /// The daemon refused, for any other reason.
    case refused(String)
    /// The connection has ended.
    case gone
}

package enum CallOutcome: String, Hashable, Sendable {
    case done, lost, unreachable, unknown
    /// Nothing was changed, because etcd is full.
    case full
    /// Nothing was changed, because a host is present that should be absent.
    case refused

    init(of error: EngineError) {
        switch error {
        case .refused: self = .unreachable
        case .full: self = .full
        case .unknown: self = .unknown
        }
    }
}

/// The contents of one `replicate`; an empty one asks for the replica's position.
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
    /// Whether the batch fits. False: a batch with the next number was refused because of its contents.
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

/// The daemon's request to etcd. At most one is open for each list.
package struct DaemonCall: Hashable, Sendable {
    package enum Request: Hashable, Sendable {
        /// - Parameter absent: hosts that must not be present.
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

/// A notification from the daemon.
package enum DaemonEvent: Hashable, Sendable {
    case call(DaemonCall)
    /// The daemon has less of a list than it reported.
    case behind(list: String, epoch: String, Replica)
    /// Another connector has replaced this one.
    case detached
}
