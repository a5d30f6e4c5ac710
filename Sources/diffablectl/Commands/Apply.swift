import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Apply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replace a list's items from a file or a command; the daemon computes the diff.",
        discussion: """
            --id names the field that identifies a row. Without it, this is the first of the members id, key and name, \
            or the first column of a table that has none of these. A row's content is the row itself, or with --text \
            only {"text": FIELD}. In lines, the id is the text; in a tree, the path to it (Fruit/Apple). Columns are \
            aligned, as in ps aux, df, systemctl and ls -l; the last one takes the rest of the line. Rows without a \
            section are put in \(ItemBuilder.defaultSection).

            The ending of a file's name determines its format: .json, .ndjson, .jsonl, .csv, .tsv, .tab, .tree, or \
            .txt for lines. Without --from, other input is read as one of these:
              JSON     if it begins with a JSON object or array
              NDJSON   if its first line is a whole object
              lines    otherwise
            Input is refused, and nothing is changed, if it looks like another format:
              names between commas, semicolons or bars in the first line (id,text)
              a tab after a word
              two blanks between words in the first ten lines
              a line that is indented deeper than the first
              JSON after other text, or broken JSON
            Use --from lines for lines that look like these.

              dpkg-query -W -f '${binary:Package}\\t${Section}\\n' |
                diffablectl apply packages --create --from tsv \\
                  --columns package,section --section .section
              find /usr/share/doc | sed 's|[^/]*/|  |g' |
                diffablectl apply doc --create --from tree
              diffablectl apply stations stations.json --id .code --text .name

            Empty input does not empty a list that has items: add --allow-empty for that. diffablectl cannot see that \
            a program in a pipe has failed. If you write the program after -- instead, a failure changes nothing:

              diffablectl apply units --id .unit -- systemctl list-units -o json
              diffablectl apply ps --from columns --id .PID --numbers RSS -- ps aux

            Items stay expanded or collapsed unless the input sets this. Nothing is printed if nothing changed. With \
            --merge, existing items get the new content and keep their place, unless the input names a section or a \
            parent. Other items are added at the end, and none is deleted.

            A list that --create makes from columns, csv or tsv is drawn as a table. Its content says so, and can be \
            changed: diffablectl patch ps --list layout=list
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The file to read. Default: - (standard input).") var file: String?
    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp(
            "A command to run without a shell, and to read its output. Nothing is changed unless it exits with status 0.",
            valueName: "command"))
    var command: [String] = []

    @OptionGroup var rows: RowOptions

    @OptionGroup var deletions: DeletionOptions

    @Flag(help: "Create the list if it does not exist.") var create = false
    @Flag(help: "Show the diff and change nothing.") var dryRun = false
    @Flag(help: "Add and update items, but delete none.") var merge = false
    @Flag(help: "Send subscribers a full reset instead of a diff.") var reload = false
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if let file, !command.isEmpty {
            throw ValidationError("there are two inputs, \(file) and the command after --: use one of them")
        }
        if merge, reload {
            throw ValidationError(
                "--merge adds and updates items, and --reload sends followers the whole list again; use one of them")
        }
    }

    func run() async throws {
        let input = try await read()
        if merge { return try await merge(input) }
        var deletionGuard = DeletionGuard(
            list: list, section: rows.into, options: deletions, ifRevision: options.ifRevision, count: input.count)
        if dryRun {
            return try await options.daemon.withReadOnlyConnection { try await preview(input, $0, deletionGuard) }
        }
        var creation = ListCreation(list)
        try await options.change { connection, key in
            var input = input
            if create, try await creation.make(over: connection), rows.readsTable(file), case .whole(var list) = input {
                list.suggestTable()
                input = .whole(list)
            }
            do { return try await send(input, key, connection, &deletionGuard) } catch {
                await creation.withdraw(over: connection)
                throw error
            }
        }
    }

    private func read() async throws -> Input {
        let limit = options.daemon.inputLimit
        guard let program = command.first else { return try await rows.read(file, of: list, within: limit) }
        return try rows.input(
            try await CommandInput(command).bytes(within: limit), file: nil, named: "the output of \(program)")
    }
}

// MARK: - Merging

extension Apply {
    private func merge(_ input: Input) async throws {
        let merge = Merge(input, into: rows.defaultSection, saysSection: rows.section == nil ? nil : true)
        guard dryRun else {
            var creation = ListCreation(list)
            do {
                return try await options.transact(
                    list, preparing: { if create { try await creation.make(over: $0) } }, to: merge.applied)
            } catch {
                try? await options.daemon.withConnection { await creation.withdraw(over: $0) }
                guard case ClientError.refused(let refusal) = error, refusal.code == .tooLarge else { throw error }
                throw ClientError.refused(
                    try await options.daemon.withReadOnlyConnection { try await $0.naming(input, in: refusal) })
            }
        }
        try await options.daemon.withReadOnlyConnection { connection in
            let old = try await connection.state(of: list).snapshot
            try Preview(old: old, operations: try merge.applied(to: old).difference(from: old)).show()
        }
    }
}

// MARK: - Sending

extension Apply {
    private func send(
        _ input: Input, _ key: RequestKey, _ connection: Connection, _ deletionGuard: inout DeletionGuard
    ) async throws -> Outcome {
        let progress = ProgressLine("applying", "items")
        progress.show(input.count)
        defer { progress.end() }
        return try await deletionGuard.apply {
            .init(try await connection.apply(input, to: list, rows, ifRevision: options.ifRevision, mode: .dryRun))
        } making: { revision in
            try await connection.apply(
                input, to: list, rows, delivery: reload ? .reload : .difference, ifRevision: revision, requestKey: key)
        } seesList: {
            try await connection.lists().contains { $0.list == list }
        }
    }

    private func preview(_ input: Input, _ connection: Connection, _ deletionGuard: DeletionGuard) async throws {
        let preview: Preview
        do {
            preview = try await connection.preview(input, of: list, rows, ifRevision: options.ifRevision)
        } catch ClientError.refused(let refusal) where create && refusal.code == .noSuchList {
            preview = try Preview(ofNew: input, rows)
        }
        try preview.show()
        try deletionGuard.check(.init(preview))
    }
}
