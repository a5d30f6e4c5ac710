import ArgumentParser
import Diffable
import DiffableClient
import DiffableJSON

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

    /// Seconds in which a daemon can restart and read its lists.
    private static let retryDefault = 10
    private static let retryMax = 86_400

    func validate() throws {
        if let retry, !(0...ChangeOptions.retryMax).contains(retry) {
            throw ValidationError("--retry must be 0 to \(ChangeOptions.retryMax) seconds, not \(retry)")
        }
    }

    func transact(_ list: ListName, _ operations: [ListOperation], saying words: String? = nil) async throws {
        let outcome = try await answer { connection, key in
            try await connection.transact(list, operations, ifRevision: ifRevision, requestKey: key)
        }
        report(outcome, saying: words)
    }

    func transact(_ list: ListName, _ operations: OperationsText) async throws {
        try await change { connection, key in
            try await connection.transact(list, operations, ifRevision: ifRevision, requestKey: key)
        }
    }

    /// Makes a change exactly once, even if the daemon restarts in between, and reports the changes.
    func change(_ body: (Connection, RequestKey) async throws -> Outcome) async throws {
        report(try await answer(body))
    }

    func answer<R: Sendable>(_ body: (Connection, RequestKey) async throws -> R) async throws -> R {
        let key = requestKey ?? .random()
        var retrier = RequestRetrier(limit: retry ?? ChangeOptions.retryDefault, waitsForDaemon: retry != nil)
        return try await retrier.send { try await daemon.withConnection { try await body($0, key) } }
    }

    func report(_ outcome: Outcome) { report(outcome, saying: nil) }
}
