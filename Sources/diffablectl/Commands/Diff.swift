import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON

struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the diff between two revisions of a list, or between a list and a file.",
        discussion: """
            Without revisions, diff shows the last transaction. With one revision, it shows all changes since then. \
            With a file, it shows the changes that `diffablectl apply` would make. `diffablectl log` lists the \
            revisions that are kept. With --exit-code, the status is 1 if there is a difference.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(
        help: "A revision, or a file; - is standard input. Default: the revision before the newest.",
        completion: .revisions)
    var old: String?
    @Argument(help: "A revision. Default: the newest.", completion: .revisions) var new: Int?
    @OptionGroup(title: "To read a file") var rows: RowOptions
    @Flag(help: "Print the operations as JSON.") var json = false
    @Flag(help: "Exit with status 1 if there is a difference.") var exitCode = false
    @OptionGroup var daemon: DaemonOptions

    private var file: String? { old.flatMap { Int($0) == nil ? $0 : nil } }

    func validate() throws {
        if let file, new != nil {
            throw ValidationError(
                "a file can be compared only with the newest revision: leave \(file) out, or the revision")
        }
    }

    func run() async throws {
        var input: Input?
        if let file { input = try await rows.read(file, of: list, within: daemon.inputLimit) }
        let preview = try await daemon.withReadOnlyConnection { [input] connection in
            if let input { return try await connection.preview(input, of: list, rows) }
            return try await revisions(connection)
        }
        if json {
            var output = StandardOutput()
            output.json(OperationsWriter.array(preview.operations))
            output.flush()
        } else {
            try preview.show()
        }
        if exitCode, !preview.operations.isEmpty { throw ExitCode(ExitStatus.refused.rawValue) }
    }

    private func revisions(_ connection: Connection) async throws -> Preview {
        let current = try await connection.history(of: list, limit: 1).revision
        let from = old.flatMap { Int($0) } ?? current - 1
        return Preview(
            old: try await connection.state(of: list, at: from).snapshot,
            operations: try await connection.difference(of: list, from: from, to: new ?? current))
    }
}
