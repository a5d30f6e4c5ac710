import ArgumentParser
import Diffable
import DiffableClient
import DiffableJSON

/// What commands that change a list have in common: where, under which condition, and what they say.
struct ChangeOptions: ParsableArguments {
    @OptionGroup var daemon: DaemonOptions

    @Option(help: ArgumentHelp("Change nothing unless the list is at this revision.", valueName: "revision"))
    var ifRevision: Int?

    @Option(
        help: ArgumentHelp(
            """
            If the daemon goes away before it answers, connect and ask again for so long; the change is made once. By \
            default \(ChangeOptions.retryDefault). If this is said, a daemon that is not there yet is waited for too.
            """,
            valueName: "seconds"))
    var retry: Int?

    @Option(
        help: ArgumentHelp(
            "Names the change: asked again under the same key, it is answered and not made again. By default random.",
            valueName: "key"),
        transform: requestKeyName)
    var requestKey: RequestKey?

    @Flag(name: .shortAndLong, help: "Do not say what changed.")
    var quiet = false

    /// In seconds: as long as a daemon takes to be started again and to read its lists.
    private static let retryDefault = 10
    private static let retryMax = 86_400

    func validate() throws {
        if let retry, !(0...ChangeOptions.retryMax).contains(retry) {
            throw ValidationError("--retry is 0 to \(ChangeOptions.retryMax) seconds, not \(retry)")
        }
    }

    /// Sends one transaction and says what it changed.
    func transact(_ list: ListName, _ operations: [Operation]) async throws {
        try await change { connection, key in
            try await connection.transact(list, operations, ifRevision: ifRevision, requestKey: key)
        }
    }

    /// The same for operations that are JSON already.
    func transact(_ list: ListName, _ operations: OperationsText) async throws {
        try await change { connection, key in
            try await connection.transact(list, operations, ifRevision: ifRevision, requestKey: key)
        }
    }

    /// Makes a change, once, and says what it changed; the daemon may go away meanwhile and come back.
    func change(_ body: (Connection, RequestKey) async throws -> Outcome) async throws {
        let key = requestKey ?? .random()
        var retrying = Retrying(limit: retry ?? ChangeOptions.retryDefault, waitsForDaemon: retry != nil)
        report(try await retrying.ask { try await daemon.withConnection { try await body($0, key) } })
    }

    /// One line about what changed; none when nothing did.
    func report(_ outcome: Outcome) {
        guard !quiet, outcome.changed else { return }
        var output = StandardOutput()
        output.line(OutcomeWords.line(outcome))
        output.flush()
    }
}
