import ArgumentParser
import Diffable
import DiffableClient
import DiffableJSON

struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what is different between two revisions of a list, or between a list and a file.",
        discussion: """
            Without revisions: what the last transaction did. With one: what has happened since. With a file: what \
            `diffablectl apply` would change. `diffablectl log` shows the revisions that are kept.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "A revision, or a file; - is standard input. By default the revision before the newest.")
    var old: String?
    @Argument(help: "A revision; by default the newest.") var new: Int?
    @OptionGroup(title: "With a file") var rows: RowOptions
    @Flag(help: "The operations as JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    /// The file, if what stands first is no revision.
    private var file: String? { old.flatMap { Int($0) == nil ? $0 : nil } }

    func validate() throws {
        if let file, new != nil {
            throw ValidationError("a file is compared with the newest revision: leave \(file) out, or the revision")
        }
    }

    func run() async throws {
        let input = try file.map { file throws(InputError) in try rows.read(file) }
        let preview = try await daemon.withConnection { connection in
            if let input { return try await connection.preview(input, of: list, rows) }
            return try await revisions(connection)
        }
        guard json else { return try preview.show() }
        var output = StandardOutput()
        output.append(OperationsWriter.array(preview.operations))
        output.line("")
        output.flush()
    }

    private func revisions(_ connection: Connection) async throws -> Preview {
        let current = try await connection.history(of: list, limit: 1).revision
        let from = old.flatMap { Int($0) } ?? current - 1
        return Preview(
            old: try await connection.state(of: list, at: from).snapshot,
            operations: try await connection.difference(of: list, from: from, to: new ?? current))
    }
}
