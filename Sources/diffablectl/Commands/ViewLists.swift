import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableTerminal
import DiffableView
import Dispatch
import Glibc
import ProcessArguments

struct ViewLists: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view",
        abstract: "Look at lists on the whole terminal, live, and do what they offer.",
        usage: "diffablectl view <lists> ... [<options>] [-- <command> ...]",
        discussion: """
            Each list is drawn as its content says (docs/appearance.md). The cursor and the marks stay with their items, and what \
            one looks at stays where it is, whatever others change. ? shows the keys, q ends. Several lists are tabs.

            With --select or --multi, Enter writes the ids that were picked to standard output and ends; q ends with status \
            1. Nothing is changed then, whatever the list offers. A command behind -- is run with the ids as its last \
            arguments instead, by no shell; an id that begins with a dash is not passed to one that has no argument -- \
            itself. --exec has the command as one text:
              diffablectl view hosts -- ssh --
              diffablectl view hosts --exec 'ssh --'

            With --plain, lines are written as they come, without a screen of its own: for terminals that cannot place a \
            cursor, and for files.
            """)

    @Argument(help: "The lists.", completion: .lists, transform: listName) var lists: [ListName]
    @Flag(help: "Enter writes the item's id and ends.") var select = false
    @Flag(help: "The same with several, which Space marks, in the order of marking.") var multi = false
    @Option(
        help: ArgumentHelp(
            "Run for what is picked, with the ids as its last arguments, as what stands behind --; picks one without --multi.",
            valueName: "command"))
    var exec: String?
    /// What stands behind `--` (`arranged`).
    @Option(name: .customLong(wordOption), help: .private) var markedWords: [String] = []
    @Option(
        help: ArgumentHelp(
            "How lists are drawn, as JSON in the form of a list's content: {…}, a file with it, or - for standard input.",
            valueName: "look"),
        completion: .file())
    var look: String?
    @Flag(help: "Lines instead of a screen.") var plain = false
    @Flag(help: "Nothing spins, and changes are marked by a sign alone.") var reduceMotion = false
    @Flag(inversion: .prefixedNo, help: "The mouse is for the list.") var mouse = true
    @OptionGroup(title: "What is shown") var shown: ShownItemsOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if Set(lists).count < lists.count { throw ValidationError("a list is named twice") }
        if select, multi { throw ValidationError("--select and --multi exclude each other") }
        if plain, picking != .none {
            throw ValidationError("--plain picks nothing: leave out --select, --multi and the command")
        }
        if exec != nil, !markedWords.isEmpty {
            throw ValidationError("there are two commands, that of --exec and the one behind --: choose one")
        }
        _ = try shown.filter()
        _ = try command()
    }

    private func command() throws -> [String] { try exec.map(CommandWords.words(of:)) ?? commandWords }

    private var picking: ViewerOptions.Picking {
        if multi { return .multiple }
        return select || exec != nil || !markedWords.isEmpty ? .single : .none
    }

    func run() async throws {
        guard plain || picking != .none || isatty(STDOUT_FILENO) == 1 else {
            throw CommandError(.unusable, "standard output is no terminal; --plain writes lines")
        }
        var options = ViewerOptions.typed
        options.filter = try shown.filter()
        options.picking = picking
        options.reducesMotion = reduceMotion
        options.reportsMouse = mouse
        options.look = try await lookContent()
        let complaints = options.look.map(LookCheck.complaints) ?? []
        for complaint in complaints { say("\(lookName): \(complaint) (docs/appearance.md)") }
        options.notice = complaints.first.map { first in
            "\(lookName): \(first)" + (complaints.count > 1 ? " (and \(complaints.count - 1) more)" : "")
        }
        let abilities = TerminalAbilities(environment: ProcessEnvironment.given())
        options.symbols = abilities.hasUnicode ? .unicode : .ascii
        let client = try plain ? daemon.client() : daemon.clientAskingWhenUsed()
        // A daemon that was never there is an error, as for any command.
        try await client.withConnection(patience: .zero) { _ in }
        if plain || (picking == .none && !abilities.hasCursorMotion) {
            StandardStreams.endWithReader()
            return try await PlainView(lists: lists, options: options, client: client).run()
        }
        guard abilities.hasCursorMotion else {
            throw CommandError(.unusable, "this terminal ($TERM) cannot place a cursor; --plain writes lines")
        }
        let loop = ViewLoop(
            lists: lists, options: options, abilities: abilities, client: client, socket: try daemon.path())
        switch try await loop.ending() {
        case .signal(let number): throw ExitCode(128 + number)
        case .quit(nil): if picking != .none { throw ExitCode(ExitStatus.refused.rawValue) }
        case .quit(let picked?): try await give(picked)
        }
    }

    private func give(_ picked: [ItemID]) async throws {
        let command = try command()
        guard !command.isEmpty else {
            var output = StandardOutput()
            for item in picked { output.line(of: [item.description]) }
            return output.flush()
        }
        // An id is another user's word: it never becomes an option.
        if !command.contains("--"), let item = picked.first(where: { $0.description.hasPrefix("-") }) {
            throw CommandError(
                .unusable,
                "\(quoted(item)) begins with a dash: not passed to \(command[0]), unless the command has an argument --"
            )
        }
        let status = try await ChildProcess.status(of: command + picked.map(\.description), input: .inherited)
        if status != 0 { throw ExitCode(status) }
    }

    /// Who reads what is wrong with a look knows it by this.
    private var lookName: String {
        guard let look, !isJSON(look) else { return "--look" }
        return look == "-" ? "standard input" : look
    }

    private func isJSON(_ look: String) -> Bool { look.drop(while: \.isWhitespace).hasPrefix("{") }

    private func lookContent() async throws -> Content? {
        guard let look else { return nil }
        let text =
            isJSON(look)
            ? look
            : String(
                decoding: try await inputBytes(of: look, "how lists are drawn", within: InputLimit { _ in nil }),
                as: UTF8.self)
        guard let content = Content.parsed(text), content.bytes.first == UInt8(ascii: "{") else {
            throw InputError("\(lookName) is no JSON object; docs/appearance.md says what may stand in it")
        }
        return content
    }
}

// MARK: - A command behind --

extension ViewLists {
    private static let wordOption = "word-of-command"

    /// The parser lets no two arguments take any number of words, so each of the command's becomes an option's value.
    static func arranged(_ arguments: [String]) -> [String] {
        guard arguments.first == configuration.commandName, let end = arguments.firstIndex(of: "--") else {
            return arguments
        }
        return arguments[..<end] + arguments[(end + 1)...].map { "--\(wordOption)=:\($0)" }
    }

    /// Each word has a mark before it, because an option's value cannot be empty.
    var commandWords: [String] { markedWords.map { String($0.dropFirst()) } }
}

extension ShownItemsOptions {
    /// Windows and folding are the viewer's own.
    fileprivate func filter() throws -> ViewFilter {
        var filter = ViewFilter()
        filter.sections = sections
        filter.condition = try matching.json()?.description
        filter.search = search ?? ""
        filter.sort = try sortKeys().map(\.json.description)
        filter.conditionWords = matching.conditions.joined(separator: " and ")
        filter.sortWords = sort.joined(separator: ", ")
        return filter
    }
}

extension ViewerOptions {
    /// What is typed into the viewer means what it means at the prompt.
    fileprivate static var typed: ViewerOptions {
        ViewerOptions(
            condition: { text throws(TypingError) in
                try checked {
                    let json = try ConditionOptions.json(of: [text])?.description ?? "{}"
                    _ = try checkedView("{\"where\":\(json)}")
                    return json
                }
            },
            sortKey: { text throws(TypingError) in try checked { try SortKey(checking: text).json.description } })
    }

    private static func checked(_ read: () throws -> String) throws(TypingError) -> String {
        do { return try read() } catch { throw TypingError((error as? ValidationError)?.message ?? "\(error)") }
    }
}
