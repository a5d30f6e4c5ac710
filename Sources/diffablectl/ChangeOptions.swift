import ArgumentParser
import Diffable
import DiffableClient
import DiffableJSON

/// The options of all commands that change a list: the daemon, conditions for the change, and how it is reported.
struct ChangeOptions: ParsableArguments {
    @OptionGroup var daemon: DaemonOptions

    @Option(help: ArgumentHelp("Change nothing unless the list is at this revision.", valueName: "revision"))
    var ifRevision: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            If the connection is lost before the reply, reconnect and retry for this long; the change is made only once. \
            Default: \(ChangeOptions.retryDefault). With this option the command also waits for a daemon that is not running yet.
            """,
            valueName: "seconds"))
    var retry: Int?

    @Option(
        help: ArgumentHelp(
            "Idempotency key: repeating the command with the same key makes the change only once. Default: random.",
            valueName: "key"),
        transform: requestKeyName)
    var requestKey: RequestKey?

    @Flag(name: .shortAndLong, help: "Do not print the changes.")
    var quiet = false

    /// In seconds: the time that a daemon needs to restart and to read its lists.
    private static let retryDefault = 10
    private static let retryMax = 86_400

    func validate() throws {
        if let retry, !(0...ChangeOptions.retryMax).contains(retry) {
            throw ValidationError("--retry is 0 to \(ChangeOptions.retryMax) seconds, not \(retry)")
        }
    }

    /// Sends one transaction and reports what it changed.
    ///
    /// - Parameter words: are added to the report.
    func transact(_ list: ListName, _ operations: [ListOperation], saying words: String? = nil) async throws {
        let outcome = try await answer { connection, key in
            try await connection.transact(list, operations, ifRevision: ifRevision, requestKey: key)
        }
        report(outcome, saying: words)
    }

    /// The same for operations that are given as JSON.
    func transact(_ list: ListName, _ operations: OperationsText) async throws {
        try await change { connection, key in
            try await connection.transact(list, operations, ifRevision: ifRevision, requestKey: key)
        }
    }

    /// Makes a change exactly once and reports what it changed. The daemon may restart meanwhile.
    func change(_ body: (Connection, RequestKey) async throws -> Outcome) async throws {
        report(try await answer(body))
    }

    /// The same without a report.
    func answer<R: Sendable>(_ body: (Connection, RequestKey) async throws -> R) async throws -> R {
        let key = requestKey ?? .random()
        var retrying = Retrying(limit: retry ?? ChangeOptions.retryDefault, waitsForDaemon: retry != nil)
        return try await retrying.ask { try await daemon.withConnection { try await body($0, key) } }
    }

    /// One line about what changed; none when nothing did.
    func report(_ outcome: Outcome) { report(outcome, saying: nil) }
}
