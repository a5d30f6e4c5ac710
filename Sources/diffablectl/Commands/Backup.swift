import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import Glibc

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Back up durable lists, all at one moment, to a file.",
        discussion: """
            The daemon keeps working during a backup. The file gets its name when it is complete and on disk, and only \
            its owner can read it. A backup does not contain history, request keys, deleted lists or volatile lists. \
            The first argument is always the file, even if a list has that name. Only root and the daemon's own user \
            can back up.
              diffablectl backup lists.backup
              diffablectl backup - tasks | ssh host diffablectl restore -
            """)

    @Argument(help: "The new file. Default: - (standard output).") var file: String?
    @Argument(help: ArgumentHelp("Only these lists.", valueName: "list"), completion: .lists, transform: listName)
    var lists: [ListName] = []
    @Flag(help: "Replace an existing file.") var force = false
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let backup = try destination()
        let pick = BackupSelection(lists)
        let reply = try await daemon.withReadOnlyConnection { connection in
            if !pick.isAll {
                let durable = try await connection.lists().filter { $0.durability == .durable }
                try checkPresent(among: durable.map(\.list.description))
            }
            return try await connection.backupJSON { line in
                if pick.isAll || pick.has(BackupPart(line).list) { backup.append(line) }
            }
        }
        let summaries = (JSONReader(Content(reply)).member("lists")?.elements ?? [])
            .filter { pick.has($0.member("list")?.plainText ?? "") }
        try checkPresent(among: summaries.compactMap { $0.member("list")?.plainText })
        let array = JSONReader(.array(summaries.map { Content(Array($0.json.utf8)) }))
        try backup.finish(lists: array, replacing: force)
        guard let path = backup.path else { return printMessage("\(extent(of: array))") }
        var output = StandardOutput()
        output.line("\(path): \(extent(of: array))")
        output.flush()
        if pick.isAll, summaries.contains(where: { $0.member("list")?.plainText == path }) {
            printMessage(
                "\(path) is also the name of a list, but the new file \(path) has all lists; to back up only that list, use "
                    + "diffablectl backup FILE \(FieldCheck.shellQuoted(path))")
        }
    }

    private func destination() throws -> BackupFile {
        guard let file, file != "-" else {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw InputError(
                    "diffablectl does not print a backup on a terminal: name a file, or redirect the output")
            }
            return BackupFile()
        }
        var status = stat()
        if stat(file, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw InputError(
                    "\(file) exists and is not a regular file, so no backup was written; name another file")
            }
            if !force { throw BackupFile.exists(file) }
        }
        return try BackupFile(path: file)
    }

    private func checkPresent(among durable: [String]) throws(CommandError) {
        guard let missing = lists.first(where: { !durable.contains($0.description) }) else { return }
        throw CommandError(
            .notFound,
            "there is no durable list \(quoted(missing)), and a backup has only durable lists, so none was written; diffablectl ls "
                + "shows which lists are durable")
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Restore lists from a backup, all of them or none.",
        discussion: """
            Without names, all lists of the backup are restored. Other lists stay as they are. Each restored list gets \
            a new epoch, so followers of a replaced list receive it as a whole. Only root and the daemon's own user \
            can restore.
              diffablectl restore lists.backup tasks --replace
              diffablectl restore lists.backup tasks --as tasks-of-monday
            """)

    @Argument(help: "A file that backup wrote, or - for standard input.") var file: String
    @Argument(help: ArgumentHelp("Only these lists.", valueName: "list"), transform: listName)
    var lists: [ListName] = []
    @Option(
        name: .customLong("as"), help: ArgumentHelp("Restore one list under this name.", valueName: "name"),
        transform: listName)
    var newName: ListName?
    @Flag(help: "Replace existing lists. undelete --as brings them back under another name.") var replace =
        false
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if newName != nil, lists.count > 1 {
            throw ValidationError("--as needs exactly one list, not \(lists.count): name one")
        }
    }

    func run() async throws {
        let name = file == "-" ? "standard input" : file
        let bytes = try await inputBytes(
            of: file, "a backup", within: BackupText.limit(named: name), isTrusted: true)
        // Checks the whole file before the first request is sent.
        var text = try BackupText(bytes, named: name)
        let pick = try selection(of: text, named: name)
        let reply = try await daemon.withConnection { connection in
            do {
                return try await connection.restoreJSON(replacing: replace) { text.nextLine(pick) }
            } catch ClientError.refused(let refusal) where refusal.code == .listExists {
                let known = Set(try await connection.lists().map(\.list.description))
                let names = text.lists.filter { pick.has($0) }.map { pick.newName ?? $0 }.filter { known.contains($0) }
                guard !names.isEmpty else { throw ClientError.refused(refusal) }
                throw conflict(names)
            }
        }
        var output = StandardOutput()
        if let lists = JSONReader(Content(reply)).member("lists") { output.line("restored \(extent(of: lists))") }
        output.flush()
    }

    private static let namesShownMax = 5

    private func conflict(_ names: [String]) -> CommandError {
        let command = "diffablectl restore \(FieldCheck.shellQuoted(file))"
        guard names.count > 1 else {
            let rename =
                newName == nil
                ? "use \(command) \(FieldCheck.shellQuoted(names[0])) --as NAME" : "choose another name for --as"
            return CommandError(
                .conflict,
                "there is already a list \"\(names[0])\", and nothing was restored; replace it with --replace, or \(rename)"
            )
        }
        var shown = names.prefix(Self.namesShownMax).map { "\"\($0)\"" }.joined(separator: ", ")
        if names.count > Self.namesShownMax { shown += " and \(names.count - Self.namesShownMax) more" }
        return CommandError(
            .conflict,
            "these lists already exist, and nothing was restored: \(shown); replace them with --replace, or restore each under "
                + "another name with \(command) LIST --as NAME")
    }

    private func selection(of text: BackupText, named name: String) throws(InputError) -> BackupSelection {
        let names = text.lists.joined(separator: ", ")
        if let missing = lists.first(where: { !text.lists.contains($0.description) }) {
            throw InputError(
                "the backup in \(name) has no list \(quoted(missing)), so nothing was restored; it has "
                    + "\(names.isEmpty ? "no lists" : names)")
        }
        var pick = BackupSelection(lists, as: newName)
        if newName != nil, lists.isEmpty {
            guard text.lists.count == 1 else {
                throw InputError(
                    "--as needs exactly one list, and \(name) has \(counted(text.lists.count, "list")): \(names). Name one of them"
                )
            }
            pick.lists = Set(text.lists)
        }
        return pick
    }
}

/// `2 lists, 31 items`
private func extent(of lists: JSONReader) -> String {
    let items = lists.elements.reduce(0) { $0 + ($1.number("items") ?? 0) }
    return "\(counted(lists.elements.count, "list")), \(counted(items, "item"))"
}
