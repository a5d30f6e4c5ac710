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
        usage: "diffablectl view [<lists> ... | -] [<options>] [-- <command> ...]",
        discussion: """
            The list's content determines how it is drawn (docs/appearance.md). When other clients change the list, the \
            cursor and the marks stay with their items, and the rows on the screen stay in place. ? shows the keys, q \
            quits. Several lists are tabs. Without a list, or with 0, all lists are shown, and Enter opens one.

            With --split, two lists are side by side, and Tab goes to the other one. I shows all members of the selected \
            item. With --preview, --pane and --run you name commands for the rows:
              diffablectl view units --pane 'L=journalctl -fu {id}' --run 'f3=less -- {.file}'

            With --select or --multi, you type words, and the best matches come first. Enter prints the ids of the picked \
            items and exits; Esc exits with status 130. In this mode nothing can be changed. With a command after --, \
            the ids are not printed: the command is run with them as its last arguments, without a shell. If the \
            command has no argument -- of its own, an id that begins with a dash is not passed to it. --exec takes the \
            command as one string:
              diffablectl view hosts -- ssh --
              diffablectl view hosts --exec 'ssh --'

            With - instead of a list, the rows are read from standard input, as apply reads them. No daemon is needed:
              git branch --format '%(refname:short)' | diffablectl view - -- git switch
              ps -e -o pid,args | diffablectl view - --from columns --id .PID --multi

            With --plain, each change is printed as lines. Use it for files and for terminals that cannot place a \
            cursor.
            """)

    @Argument(
        help: "The lists; - reads rows from standard input instead. Default: the home screen, with all lists.",
        completion: .lists, transform: Source.init(checking:))
    var sources: [Source] = []
    @Flag(help: "Show two lists side by side, and not as tabs.") var split = false
    @Option(
        help: ArgumentHelp(
            "Show this list at the left. The member list of its items names the list at the right.", valueName: "list"),
        completion: .lists, transform: listName)
    var sidebar: ListName?
    @OptionGroup(title: "Commands for rows") var commands: RowCommandOptions
    @OptionGroup(title: "Picking") var picker: PickerOptions
    /// The words after `--` (`markingCommandWords`).
    @Option(name: .customLong(wordOption), help: .private) var markedWords: [String] = []
    @Option(
        help: ArgumentHelp(
            "Your own appearance for all lists, as JSON in the form of a list's content: {…}, a file, or - for standard input.",
            valueName: "look"),
        completion: .file())
    var look: String?
    @Flag(help: "Print lines instead of drawing a screen.") var plain = false
    @Flag(help: "Turn off animation.") var reduceMotion = false
    @Flag(help: "Keep the terminal's cursor on the selected row, for screen readers and magnifiers.") var cursor = false
    @Flag(inversion: .prefixedNo, help: "Handle the mouse (--no-mouse leaves it to the terminal).") var mouse = true
    @OptionGroup(title: "Items to show") var shown: ShownItemsOptions
    @OptionGroup(title: "Rows of standard input") var input: ShownRowsOptions
    @OptionGroup var daemon: DaemonOptions

    /// A list, or standard input.
    enum Source: Hashable, Sendable {
        case list(ListName)
        case standardInput

        init(checking argument: String) throws {
            self = argument == "-" ? .standardInput : .list(try listName(argument))
        }
    }

    private var lists: [ListName] {
        sources.compactMap { if case .list(let list) = $0 { list } else { nil } }
    }

    private var readsRows: Bool { sources.contains(.standardInput) }

    func validate() throws {
        try refuseRepetition(in: lists)
        if readsRows, sources.count > 1 {
            throw ValidationError("- shows the rows of standard input: leave out the other lists")
        }
        try checkArrangement()
        if sources.isEmpty, picking != .none {
            throw ValidationError("there is no list to pick from: name it, or - for standard input")
        }
        if sources.isEmpty, sidebar == nil, plain || picker.filter != nil {
            throw ValidationError("\(plain ? "--plain" : "--filter") needs a list; diffablectl ls prints the lists")
        }
        if plain, picking != .none {
            throw ValidationError("--plain picks nothing: leave out --select, --multi and the command")
        }
        if picker.exec != nil, !markedWords.isEmpty {
            throw ValidationError("there are two commands, one of --exec and one after --: use one of them")
        }
        if !markedWords.isEmpty, picker.expect != nil || picker.print0 || picker.filter != nil {
            throw ValidationError("--expect, --print0 and --filter are for printed items: leave out the command")
        }
        if picking == .none, let option = picker.optionForPicking {
            throw ValidationError("\(option) is for picking: add --select or --multi")
        }
        if shown.search != nil, picker.query != nil || picker.filter != nil {
            throw ValidationError(
                "--search and \(picker.query != nil ? "--query" : "--filter") both search: use one of them")
        }
        if readsRows, look == "-" {
            throw ValidationError(
                "standard input cannot be both the rows and the appearance: name a file for one of them")
        }
        _ = try shown.filter()
        _ = try command()
    }

    private func checkArrangement() throws {
        if split, lists.count != 2 { throw ValidationError("--split shows two lists: name both") }
        if sidebar != nil, !sources.isEmpty {
            throw ValidationError("with --sidebar, the rows of the sidebar name the lists: leave out the others")
        }
        guard let option = split ? "--split" : sidebar != nil ? "--sidebar" : commands.given else { return }
        if plain || picker.filter != nil {
            throw ValidationError("\(plain ? "--plain" : "--filter") draws no screen: leave out \(option)")
        }
        if picking != .none, option != "--preview" || !commands.pane.isEmpty || !commands.run.isEmpty {
            throw ValidationError("a picker has one list and no commands except --preview: leave out the others")
        }
    }

    private var arrangement: SplitViewer.Arrangement {
        split ? .sideBySide : sidebar == nil ? .single : .sidebar
    }

    private func command() throws -> [String] { try picker.exec.map(CommandLineSplitter.words(of:)) ?? commandWords }

    private var picking: ViewerOptions.Picking {
        if picker.multi { return .multiple }
        return picker.select || picker.exec != nil || !markedWords.isEmpty ? .single : .none
    }

    func run() async throws {
        for command in commands.all { try command.command.checkProgram() }
        guard plain || picking != .none || picker.filter != nil || isatty(STDOUT_FILENO) == 1 else {
            throw CommandError(.unusable, "standard output is not a terminal; use --plain to print lines")
        }
        let options = try await options()
        if picker.filter != nil { return try await printMatches(options) }
        let abilities = TerminalAbilities(environment: ProcessEnvironment.given())
        if readsRows { return try await view(options, abilities, nil) }
        let client = try plain ? daemon.client() : daemon.clientAskingWhenUsed()
        // A missing daemon at startup is an error, as for any command.
        try await client.withConnection(patience: .zero) { _ in }
        try await view(options, abilities, (client, try daemon.path()))
    }

    private func options() async throws -> ViewerOptions {
        var options = ViewerOptions.typed
        options.filter = try shown.filter()
        if let words = picker.query ?? picker.filter { options.filter.search = words }
        options.picking = picking
        if let prompt = picker.prompt { options.prompt = prompt }
        options.pickingKeys = Set(picker.expect.map { Array($0.names.keys) } ?? [])
        options.reducesMotion = reduceMotion
        options.zoneOffset = zoneOffset
        options.showsCursor = cursor
        // The terminal reports the mouse in rows of the whole screen, and a picker with a height uses only some of
        // them.
        options.reportsMouse = mouse && picker.height == nil
        options.commands = commands.all.map(\.shown)
        options.look = try await lookContent()
        let complaints = options.look.map(LookCheck.complaints) ?? []
        for complaint in complaints { printMessage("\(lookName): \(complaint) (docs/appearance.md)") }
        options.notice = complaints.first.map { first in
            "\(lookName): \(first)" + (complaints.count > 1 ? " (and \(complaints.count - 1) more)" : "")
        }
        options.symbols = TerminalAbilities(environment: ProcessEnvironment.given()).hasUnicode ? .unicode : .ascii
        if readsRows { options.rows = try await input.read() }
        return options
    }

    private func view(
        _ options: ViewerOptions, _ abilities: TerminalAbilities, _ daemon: (client: Client, socket: SocketPath)?
    ) async throws {
        if plain || (picking == .none && !abilities.hasCursorMotion) {
            StandardStreams.exitWhenOutputCloses()
            guard let daemon else {
                return PlainView.write(options.filter.rows(of: options.rows ?? Snapshot()), options)
            }
            return try await PlainView(lists: lists, options: options, client: daemon.client).run()
        }
        guard abilities.hasCursorMotion else {
            throw CommandError(
                .unusable,
                "this terminal ($TERM) cannot place a cursor, so no item can be picked in it; use another terminal")
        }
        let lists = readsRows ? [try listName("stdin")] : sidebar.map { [$0] } ?? lists
        var abilities = abilities
        abilities.height = picker.height
        let loop = ViewLoop(
            lists: lists, arrangement: arrangement, options: options, abilities: abilities,
            commands: commands.all, daemon: daemon)
        switch try await loop.ending() {
        case .signal(let number): throw ExitCode(128 + number)
        case .quit(nil, _): if picking != .none { throw ExitCode(ExitStatus.cancelled.rawValue) }
        case .quit(let picked?, let key): try await handOver(picked, key)
        }
    }

    /// Prints the matches of `--filter`, list by list.
    private func printMatches(_ options: ViewerOptions) async throws {
        var states: [(ListName, Snapshot)] = []
        if let rows = options.rows {
            states = [(try listName("stdin"), rows)]
        } else {
            for list in lists {
                states.append((list, try await daemon.withReadOnlyConnection { try await $0.state(of: list).snapshot }))
            }
        }
        var matches: [PickedItem] = []
        for (list, snapshot) in states {
            matches += Picking.matches(in: snapshot, of: options.filter, look: options.look, list: list)
        }
        picker.write(matches, key: nil)
        if matches.isEmpty { throw ExitCode(ExitStatus.refused.rawValue) }
    }

    private func handOver(_ picked: [PickedItem], _ key: KeyPress?) async throws {
        let command = try command()
        guard !command.isEmpty else { return picker.write(picked, key: key) }
        let texts = picked.map(picker.text)
        // An id may come from another user, so it must never become an option.
        if !command.contains("--"), let text = texts.first(where: { $0.hasPrefix("-") }) {
            throw CommandError(
                .unusable,
                "\(text.debugDescription) begins with a dash, which \(command[0]) could read as an option; nothing was run. If "
                    + "\(command[0]) accepts --, end the command with --"
            )
        }
        let status = try await ChildProcess.status(of: command + texts, input: .inherited)
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
    static func markingCommandWords(_ arguments: [String]) -> [String] {
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
            sortKey: { text throws(TypingError) in try checked { try SortOption(checking: text).json.description } })
    }

    private static func checked(_ read: () throws -> String) throws(TypingError) -> String {
        do { return try read() } catch { throw TypingError((error as? ValidationError)?.message ?? "\(error)") }
    }
}
