import ArgumentParser
import Diffable
import DiffableClient

struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a list what it was.",
        discussion: """
            A new transaction restores an earlier revision, by default the one before the newest. Undoing that again does \
            what was undone.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Option(help: ArgumentHelp("Restore this revision.", valueName: "revision")) var to: Int?
    @Flag(help: "Show the difference and change nothing.") var dryRun = false
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        guard dryRun else {
            return try await options.change { connection, key in
                try await connection.undo(list, to: to, ifRevision: options.ifRevision, requestKey: key)
            }
        }
        try await options.daemon.withConnection { connection in
            let old = try await connection.state(of: list).snapshot
            let outcome = try await connection.undo(list, to: to, ifRevision: options.ifRevision, mode: .dryRun)
            try Preview(old: old, operations: outcome.operations ?? []).show()
        }
    }
}
