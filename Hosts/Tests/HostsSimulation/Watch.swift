import SharedLog

enum WatchMessage: Sendable {
    case began
    case events([EngineEvent])
    case ended
}

/// One watch at one member, with messages in transit.
final class Watch {
    let number: Int
    let member: Int
    let prefix: String
    let place: NetworkPlace
    let hear: (WatchMessage) -> Void
    var isOver = false
    /// The arrival time of the last message, because messages stay in order.
    private var last = 0

    init(
        number: Int, member: Int, prefix: String, place: NetworkPlace, _ hear: @escaping (WatchMessage) -> Void
    ) {
        (self.number, self.member, self.prefix, self.place, self.hear) = (number, member, prefix, place, hear)
    }

    /// Sends events, which are lost if the connection is closed.
    func send(_ events: [EngineEvent], at time: Int, _ world: World) {
        last = max(last, time)
        world.at(last) { [self] in
            if !isOver, place.isOpen(.fromEtcd, member) { hear(.events(events)) }
        }
    }

    func end() {
        if isOver { return }
        isOver = true
        hear(.ended)
    }
}

/// A host's place in the network, with the failures of its connections to members.
final class NetworkPlace {
    enum Direction: Hashable { case toEtcd, fromEtcd }

    private struct Way: Hashable {
        var direction: Direction
        var member: Int
    }

    private var closed: Set<Way> = []
    /// The fraction of answers that are lost, with the connection.
    var loss = 0.0
    /// The fraction of requests that arrive late, possibly after the caller's timeout.
    var lateness = 0.0
    /// The fraction of a watch's messages that are lost, repeated, or outdated.
    var watchFaults = 0.0

    func isOpen(_ direction: Direction, _ member: Int) -> Bool {
        closed.isEmpty || !closed.contains(Way(direction: direction, member: member))
    }

    func close(_ directions: [Direction], to members: some Sequence<Int>) {
        for member in members {
            for direction in directions { closed.insert(Way(direction: direction, member: member)) }
        }
    }

    func heal() {
        closed = []
        (loss, lateness, watchFaults) = (0, 0, 0)
    }
}
