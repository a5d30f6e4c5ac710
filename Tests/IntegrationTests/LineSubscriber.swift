/// Follows a list on its own connection, and reads on command.
final class LineSubscriber {
    private let client: RawClient
    private(set) var replay = Replay()

    /// - Parameter revision: the list's.
    init(to list: String, of daemon: Daemon, at revision: Int) throws {
        client = try daemon.connect()
        try client.send("subscribe \(list)")
        try read(upTo: revision)
    }

    /// Reads until that revision, which must be the last of an update.
    func read(upTo revision: Int) throws {
        while replay.revision ?? -1 < revision {
            guard let line = try client.line() else { throw Failure("the daemon closed a subscription") }
            try replay.receive(line)
        }
        guard replay.revision == revision else { throw Failure("\(replay.revision ?? -1) is past \(revision)") }
    }
}
