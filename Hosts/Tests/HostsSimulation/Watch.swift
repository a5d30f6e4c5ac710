import SharedLog

enum WatchMessage: Sendable {
    case began
    case events([EngineEvent])
    case ended
}

/// One watch at one member, and what is on its way to who watches.
final class Watch {
    let number: Int
    let member: Int
    let prefix: String
    let place: NetworkPlace
    let hear: (WatchMessage) -> Void
    var isOver = false
    /// When the last message arrives: they come in their order.
    private var last = 0

    init(
        number: Int, member: Int, prefix: String, place: NetworkPlace, _ hear: @escaping (WatchMessage) -> Void
    ) {
        (self.number, self.member, self.prefix, self.place, self.hear) = (number, member, prefix, place, hear)
    }

    /// What is sent over a way that is closed is lost.
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

/// Where a host is in the network, and what goes wrong on its ways to the members.
final class NetworkPlace {
    enum Direction: Hashable { case toEtcd, fromEtcd }

    private struct Way: Hashable {
        var direction: Direction
        var member: Int
    }

    private var closed: Set<Way> = []
    /// The part of answers that are lost, with the connection.
    var loss = 0.0
    /// The part of requests that arrive when others have gone on, perhaps when nobody waits any more.
    var lateness = 0.0
    /// The part of a watch's messages that are lost, repeated, or bring up the past.
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
