import Diffable
import Testing

/// One list's way through the daemon, with a `socat` subscriber.
struct RoundTrip {
    private let daemon: Daemon
    private let list: String
    private let options: [String]
    private let subscriber: Program

    init(_ list: String, _ options: [String]) throws {
        self.list = list
        self.options = options
        daemon = try Daemon()
        try daemon.succeed("create", list)
        subscriber = try daemon.startSocatSubscriber(to: list)
        _ = try eventually("first reset") { subscriber.output.contains("reset") ? true : nil }
    }

    /// Returns a program's output.
    func lines(of program: String, _ arguments: String...) throws -> [String] {
        let program = try Program(program, arguments, in: daemon.directory)
        _ = try program.wait()
        return program.outputLines
    }

    /// Applies the first state twice: the second time changes nothing and sends nothing.
    func begin(with input: String, items: Int) throws {
        let said = try apply(input)
        #expect(said.hasPrefix("\(list) revision 1: "))
        #expect(try apply(input) == "", "nothing changed, so nothing is said")
        let replay = try replay(at: 1)
        #expect(replay.snapshot.numberOfItems == items)
        try expectSame(replay)
    }

    /// Applies another state: the subscriber gets one update.
    func end(with input: String, items: Int) throws {
        #expect(try apply(input).hasPrefix("\(list) revision 2: "))
        let replay = try replay(at: 2)
        #expect(replay.snapshot.numberOfItems == items)
        #expect(replay.resets == 1 && replay.changes == 2, "one group for each change: \(replay.changes)")
        try expectSame(replay)
    }

    private func apply(_ input: String) throws -> String {
        let file = try daemon.directory.write(input, to: "rows")
        let program = try daemon.startCompanion(["apply", list] + options + [file])
        guard try program.wait(within: 240) == 0 else { throw Failure(program.complaints) }
        return program.output
    }

    private func replay(at revision: Int) throws -> Replay {
        try eventually("revision \(revision) at the subscriber") {
            // Reading everything again for each check would take longer than the daemon does.
            guard subscriber.outputEnds(afterRevision: revision) else { return nil }
            let replay = try Replay(of: subscriber.outputLines)
            return replay.revision == revision ? replay : nil
        }
    }

    private func expectSame(_ replay: Replay) throws {
        let shown = try daemon.succeed("show", list, "--json")
        #expect(replay.json == shown, "the subscriber's replay differs from show --json")
    }
}
