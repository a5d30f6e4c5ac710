import ArgumentParser
import Diffable
import DiffableClient
import DiffableJSON

/// What commands that change a list have in common: where, under which condition, and what they say.
struct ChangeOptions: ParsableArguments {
    @OptionGroup var daemon: DaemonOptions

    @Option(help: ArgumentHelp("Change nothing unless the list is at this revision.", valueName: "revision"))
    var ifRevision: Int?

    @Flag(name: .shortAndLong, help: "Do not say what changed.")
    var quiet = false

    /// Sends one transaction and says what it changed.
    func transact(_ list: ListName, _ operations: [Operation]) async throws {
        let outcome = try await daemon.withConnection { connection in
            try await connection.transact(list, operations, ifRevision: ifRevision)
        }
        report(outcome)
    }

    /// The same for operations that are JSON already.
    func transact(_ list: ListName, _ operations: OperationsText) async throws {
        let outcome = try await daemon.withConnection { connection in
            try await connection.transact(list, operations, ifRevision: ifRevision)
        }
        report(outcome)
    }

    /// One line about what changed; none when nothing did.
    func report(_ outcome: Outcome) {
        guard !quiet, outcome.changed else { return }
        var output = StandardOutput()
        output.line(OutcomeWords.line(outcome))
        output.flush()
    }
}
