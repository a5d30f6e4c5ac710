import Foundation

/// A subscriber in Python that reports its events when it has ended: `follow.py`, which uses only the protocol, or
/// `follow_by_package.py`, which uses the package `diffable`.
struct PythonClient {
    private let participant: Participant
    private let program: Program

    /// - Parameter members: members of the request besides the list, as JSON; the participant also has the view's.
    init(
        _ participant: Participant, script name: String = "follow.py", members: String = "{}", seed: UInt64,
        in directory: ScratchDirectory
    ) throws {
        self.participant = participant
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: name).path
        program = try Program(
            try Self.interpreter,
            [
                "-B", script, participant.lives.socket, participant.lives.file, participant.list,
                "\(participant.writers)", members, "\(seed)",
            ], in: directory)
    }

    /// A Python that supports `match`.
    static var interpreter: String {
        get throws {
            let places = ["/usr/bin/python3", "/usr/local/bin/python3"]
            guard let found = places.first(where: FileManager.default.isExecutableFile) else {
                throw Failure("there is no python3 in /usr/bin or /usr/local/bin; `make set-up` installs it")
            }
            return found
        }
    }

    var isDone: Bool { program.exitStatus() != nil }

    /// Adds its events to the chronicle.
    func finish() throws {
        guard try program.wait() == 0 else { throw Failure("\(participant.name): \(program.complaints)") }
        let decoder = JSONDecoder()
        for line in program.outputLines {
            let said = try decoder.decode(Said.self, from: Data(line.utf8))
            participant.note(try said.what(participant), in: said.life)
        }
    }

    private struct Said: Decodable {
        var life: Int
        var misfit: String?
        var since: Place?
        var resumed: Bool?
        var epoch: String?
        var revision: Int?
        var reason: String?
        var start: Int?
        var digest: UInt64?
        var numbers: [Int?]?
        var bookmark: Bool?
        var groups: Int?
        var milliseconds: Double?
        var minInterval: Int?

        struct Place: Decodable {
            var epoch: String
            var revision: Int
        }

        func what(_ participant: Participant) throws -> Chronicle.What {
            if let misfit { return .misfit(misfit) }
            let view = participant.view
            if let groups, let milliseconds, let minInterval {
                return .paced(groups: groups, milliseconds: milliseconds, minInterval: minInterval)
            }
            if bookmark == true {
                guard let epoch, let revision else { return .bookmarked(nil) }
                return .bookmarked(Chronicle.Name(epoch: epoch, revision: revision, view: view))
            }
            guard let epoch, let revision, let digest, let numbers else {
                let since = since.map { Chronicle.Name(epoch: $0.epoch, revision: $0.revision, view: view) }
                return .subscribed(since: since, isResumed: resumed)
            }
            let name = Chronicle.Name(epoch: epoch, revision: revision, view: view)
            let state = Chronicle.State(name: name, numbers: numbers, digest: digest)
            if let start { return .seen(state, .changes(from: start), nil) }
            return .seen(state, reason.map { .reset(reason: $0) } ?? .snapshot, nil)
        }
    }
}
