import ArgumentParser
import Diffable
import DiffableClient

struct Apply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a list what a file says; the daemon finds the difference.",
        discussion: """
            Rows are identified by --id; without it by the first of their members id, key and name, and in a table that has \
            none of these by the first column. A row's content is the row itself, or with --text only {"text": FIELD}. \
            In lines the id is the text, in a tree the path to it (Fruit/Apple). Rows without a section go into \
            \(Arrangement.defaultSection).

              dpkg-query -W -f '${binary:Package}\\t${Section}\\n' |
                diffablectl apply packages --create --from tsv \\
                  --columns package,section --section .section
              find /usr/share/doc | sed 's|[^/]*/|  |g' |
                diffablectl apply doc --create --from tree
              diffablectl apply stations stations.json --id .code --text .name

            What an item does not say about its expansion stays as it is. Nothing is printed when nothing changed.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "What to read; - or nothing is standard input.") var file: String?

    @OptionGroup var rows: RowOptions

    @Flag(help: "Make the list if there is none.") var create = false
    @Flag(help: "Show the difference and change nothing.") var dryRun = false
    @Flag(help: "Let subscribers draw everything anew, without a difference.") var reload = false
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        let input = try rows.read(file)
        if dryRun { return try await options.daemon.withConnection { try await preview(input, $0) } }
        try await options.change { connection, key in
            if create { _ = try await connection.createList(list, ifPresent: .isKept) }
            return try await send(input, key, connection)
        }
    }
}

// MARK: - Sending

extension Apply {
    private func send(_ input: Input, _ key: RequestKey, _ connection: Connection) async throws -> Outcome {
        let progress = ProgressLine("applying", "items")
        progress.show(input.count)
        defer { progress.end() }
        return try await connection.apply(
            input, to: list, rows, delivery: reload ? .reload : .difference, ifRevision: options.ifRevision,
            requestKey: key)
    }

    private func preview(_ input: Input, _ connection: Connection) async throws {
        let preview: Preview
        do {
            preview = try await connection.preview(input, of: list, rows, ifRevision: options.ifRevision)
        } catch ClientError.refused(let refusal) where create && refusal.name == "noSuchList" {
            preview = try Preview(ofNew: input, rows)
        }
        try preview.show()
    }
}
