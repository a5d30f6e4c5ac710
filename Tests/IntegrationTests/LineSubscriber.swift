/// Follows a list on a connection of its own, and reads when it is told to.
final class LineSubscriber {
    private let client: RawClient
    private(set) var replay = Replay()

    /// - Parameter revision: the list's.
    init(to list: String, of daemon: Daemon, at revision: Int) throws {
        client = try daemon.connect()
        try client.send("subscribe \(list)")
        try read(upTo: revision)
    }

    /// Until that revision has come, which must be the last of a group.
    func read(upTo revision: Int) throws {
        while replay.revision ?? -1 < revision {
            guard let line = try client.line() else { throw Failure("the daemon closed a subscription") }
            try replay.receive(line)
        }
        guard replay.revision == revision else { throw Failure("\(replay.revision ?? -1) is past \(revision)") }
    }
}
