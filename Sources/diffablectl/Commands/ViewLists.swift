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
        abstract: "View lists live on the whole terminal, and perform their actions.",
        usage: "diffablectl view <lists> ... [<options>] [-- <command> ...]",
        discussion: """
            The list's content determines how it is drawn (docs/appearance.md). When other clients change the list, the \
            cursor and the marks stay with their items, and the rows on the screen stay in place. ? shows the keys, q \
            quits. Several lists are tabs.

            With --select or --multi, Enter prints the ids of the picked items and exits; q exits with status 1. In \
            this mode nothing can be changed. With a command after --, the ids are not printed: the command is run \
            with them as its last arguments, without a shell. If the command has no argument -- of its own, an id that \
            begins with a dash is not passed to it. --exec takes the command as one string:
              diffablectl view hosts -- ssh --
              diffablectl view hosts --exec 'ssh --'

            With --plain, each change is printed as lines. Use it for files and for terminals that cannot place a \
            cursor.
            """)

    @Argument(help: "The lists.", completion: .lists, transform: listName) var lists: [ListName]
    @Flag(help: "Pick an item: Enter prints its id and exits.") var select = false
    @Flag(help: "Like --select, for several items: Space marks them. Ids are printed in the order marked.") var multi =
        false
    @Option(
        help: ArgumentHelp(
            "Pick an item, or several with --multi, and run this command with the ids as its last arguments.",
            valueName: "command"))
    var exec: String?
    /// The words after `--` (`arranged`).
    @Option(name: .customLong(wordOption), help: .private) var markedWords: [String] = []
    @Option(
        help: ArgumentHelp(
            "Your own appearance for all lists, as JSON in the form of a list's content: {…}, a file, or - for standard input.",
            valueName: "look"),
        completion: .file())
    var look: String?
    @Flag(help: "Print lines instead of drawing a screen.") var plain = false
    @Flag(help: "Turn off animation.") var reduceMotion = false
    @Flag(inversion: .prefixedNo, help: "Handle the mouse (--no-mouse leaves it to the terminal).") var mouse = true
    @OptionGroup(title: "Items to show") var shown: ShownItemsOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        try refuseRepetition(in: lists)
        if select, multi {
            throw ValidationError("--select picks one item, and --multi several; use one of them")
        }
        if plain, picking != .none {
            throw ValidationError("--plain picks nothing: leave out --select, --multi and the command")
        }
        if exec != nil, !markedWords.isEmpty {
            throw ValidationError("there are two commands, one of --exec and one after --: use one of them")
        }
        _ = try shown.filter()
        _ = try command()
    }

    private func command() throws -> [String] { try exec.map(CommandLineSplitter.words(of:)) ?? commandWords }

    private var picking: ViewerOptions.Picking {
        if multi { return .multiple }
        return select || exec != nil || !markedWords.isEmpty ? .single : .none
    }

    func run() async throws {
        guard plain || picking != .none || isatty(STDOUT_FILENO) == 1 else {
            throw CommandError(.unusable, "standard output is not a terminal; use --plain to print lines")
        }
        var options = ViewerOptions.typed
        options.filter = try shown.filter()
        options.picking = picking
        options.reducesMotion = reduceMotion
        options.reportsMouse = mouse
        options.zoneOffset = zoneOffset
        options.look = try await lookContent()
        let complaints = options.look.map(LookCheck.complaints) ?? []
        for complaint in complaints { say("\(lookName): \(complaint) (docs/appearance.md)") }
        options.notice = complaints.first.map { first in
            "\(lookName): \(first)" + (complaints.count > 1 ? " (and \(complaints.count - 1) more)" : "")
        }
        let abilities = TerminalAbilities(environment: ProcessEnvironment.given())
        options.symbols = abilities.hasUnicode ? .unicode : .ascii
        let client = try plain ? daemon.client() : daemon.clientAskingWhenUsed()
        // A missing daemon at startup is an error, as for any command.
        try await client.withConnection(patience: .zero) { _ in }
        if plain || (picking == .none && !abilities.hasCursorMotion) {
            StandardStreams.endWithReader()
            return try await PlainView(lists: lists, options: options, client: client).run()
        }
        guard abilities.hasCursorMotion else {
            throw CommandError(
                .unusable,
                "this terminal ($TERM) cannot place a cursor, so no item can be picked in it; use another terminal")
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
        // An id may come from another user, so it must never become an option.
        if !command.contains("--"), let item = picked.first(where: { $0.description.hasPrefix("-") }) {
            throw CommandError(
                .unusable,
                "\(quoted(item)) begins with a dash, which \(command[0]) could read as an option; nothing was run. If "
                    + "\(command[0]) accepts --, end the command with --"
            )
        }
        let status = try await ChildProcess.status(of: command + picked.map(\.description), input: .inherited)
        if status != 0 { throw ExitCode(status) }
    }

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
                decoding: try await inputBytes(of: look, "an appearance", within: InputLimit { _ in nil }),
                as: UTF8.self)
        guard let content = Content.parsed(text), content.bytes.first == UInt8(ascii: "{") else {
            throw InputError("\(lookName) is not a JSON object; see docs/appearance.md")
        }
        return content
    }
}

// MARK: - A command behind --

extension ViewLists {
    private static let wordOption = "word-of-command"

    /// The parser allows only one argument with any number of words, so each word of the command becomes an option's value.
    static func arranged(_ arguments: [String]) -> [String] {
        guard arguments.first == configuration.commandName, let end = arguments.firstIndex(of: "--") else {
            return arguments
        }
        return arguments[..<end] + arguments[(end + 1)...].map { "--\(wordOption)=:\($0)" }
    }

    /// The words, without the mark that each has because an option's value cannot be empty.
    var commandWords: [String] { markedWords.map { String($0.dropFirst()) } }
}

extension ShownItemsOptions {
    /// The filter without windows and folding, which the viewer controls itself.
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
    /// Text typed into the viewer has the same meaning as on the command line.
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
