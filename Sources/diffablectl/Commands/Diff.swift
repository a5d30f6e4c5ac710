import ArgumentParser
import Diffable
import DiffableClient

struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what is different between two revisions of a list.",
        discussion: """
            Without revisions: what the last transaction did. With one: what has happened since. `diffablectl log` shows the \
            revisions that are kept. What a file would change is shown by `diffablectl apply LIST FILE --dry-run`.
            """)

    @Argument(help: "The list.", transform: listName) var list: ListName
    @Argument(help: "A revision; by default the one before the newest.") var from: Int?
    @Argument(help: "A revision; by default the newest.") var to: Int?
    @Flag(help: "The operations as JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        var output = StandardOutput()
        try await daemon.withConnection { connection in
            let current = try await connection.history(of: list, limit: 1).revision
            let from = from ?? current - 1
            let to = to ?? current
            if json {
                output.append(try await connection.differenceJSON(of: list, from: from, to: to))
                output.line("")
            } else {
                let old = try await connection.state(of: list, at: from).snapshot
                let new = try await connection.state(of: list, at: to).snapshot
                let changes = ChangeLines(
                    new.difference(from: old), from: old, to: new, on: .standardOutput)
                for line in changes.lines { output.line(line) }
            }
        }
        output.flush()
    }
}
