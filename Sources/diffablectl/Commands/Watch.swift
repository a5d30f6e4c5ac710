import ArgumentParser
import Diffable
import DiffableClient
import DiffableProtocol
import Synchronization

extension ListOptions.Form: ExpressibleByArgument {}

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print lists and then each change as it happens, or run a command for it.",
        discussion: """
            Each line begins with the revision; if you watch several lists, the list's name comes before it. Then a \
            sign follows: + for an inserted item, - for a deleted one, > for a moved one, ~ for changed content, ▾ for \
            an expanded item, ▸ for a collapsed one.

            --format prints a line for each change of an item, and fills in {id}, {kind}, {.text} or any path, {event} \
            (insert, delete, change, move), {section}, {parent}, {list} and {revision}; {{ and }} are braces. --exec \
            runs a command for each change, one after the other. The command is split into arguments once, as by a \
            shell, but no shell runs it, and a field stays within its argument. If an argument begins with a field, \
            and the field's value with a dash, the command is run only if an argument -- comes first. So content never \
            becomes an option.

            --exec refuses a field where a program would run it as code: after -c, in the script of a shell or another \
            interpreter, and after ssh. Pass the field as an argument after the code instead: sh -c 'echo "$1"' sh \
            {.text}. It does not know all programs that run an argument as code, such as tar \
            --checkpoint-action=exec={.text}: put fields after --, where a program expects data. The command gets the \
            change on standard input as a line of JSON, and in these variables:
              DIFFABLE_LIST, DIFFABLE_REVISION   the list and its revision
              DIFFABLE_EVENT                     insert, delete, change or move
              DIFFABLE_ITEMS                     the item's id
              DIFFABLE_SECTION, DIFFABLE_PARENT  its place
              DIFFABLE_CONTENT                   its content, as JSON
              DIFFABLED_SOCKET                   the daemon, for diffablectl in the command
                                                 (also DIFFABLE_SOCKET)
            A variable without a value, or longer than 128 KiB, is not set. With --batch, the command is run once for \
            each change of the list: DIFFABLE_ITEMS contains the ids, each on a line, and standard input contains all \
            events. Changes that happen while the command runs are combined into one for the next run.
              diffablectl watch tasks --format '{event} {.text}'
              diffablectl watch mail --on insert --exec 'notify-send -- {.from} {.subject}'
              diffablectl watch hosts --batch --exec ./update-all

            With --json, each line is a notification from the daemon, reset or changes, with its operations in \
            .params.operations. With --deliver snapshots, each has the whole list in .params.snapshot. With --deliver \
            patches, the first has the whole list, and each later one a JSON patch on it in .params.patch. If the \
            connection is lost, watch reconnects and continues with the next change. It ends when the lists are \
            deleted, unless you use --wait.
            """)

    @Argument(help: "The lists.", completion: .lists, transform: listName) var lists: [ListName]
    @Option(help: ArgumentHelp("Print a line for each change of an item.", valueName: "template")) var format: String?
    @Option(help: ArgumentHelp("Run a command for each change of an item.", valueName: "command")) var exec: String?
    @Flag(help: "With --exec, run the command once for each change of the list, not for each item.") var batch = false
    @Option(
        help: ArgumentHelp(
            "For --format and --exec: only these events, from insert,delete,change,move.", valueName: "events"))
    var on: ItemEventKinds?
    @Flag(help: "For --format and --exec: report items that exist at the start as inserted.") var initial = false
    @Flag(help: "Print the daemon's notifications, one on each line.") var json = false
    @Option(help: "The content of notifications: operations, snapshots or patches. Needs --json.")
    var deliver: ListOptions.Form?
    @Option(help: ArgumentHelp("Receive at most one change in this many milliseconds.", valueName: "milliseconds"))
    var minInterval: Int?
    @Flag(help: "Wait for a list that does not exist or is deleted.") var wait = false
    @Flag(help: "Exit with status 3 when the connection is lost.") var noReconnect = false
    @OptionGroup(title: "Items to show") var view: ViewOptions
    @OptionGroup(title: "For lists shared between hosts") var freshness: FreshnessOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if deliver != nil, !json { throw ValidationError("--deliver can be used only with --json") }
        guard [json, format != nil, exec != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError(
                "--json and --format set what is printed, and --exec runs a command instead; use one of them")
        }
        if batch, exec == nil { throw ValidationError("--batch can be used only with --exec") }
        if format == nil, exec == nil, on != nil || initial {
            throw ValidationError("--on and --initial can be used only with --format or --exec")
        }
        try refuseRepetition(in: lists)
        _ = try reaction()
    }

    private func options() throws -> ListOptions {
        var options = try view.options()
        options.minInterval = minInterval.map { .milliseconds($0) }
        if wait { options.ifAbsent = .isAwaited }
        options.form = deliver ?? .operations
        options.freshness = freshness.freshness
        return options
    }

    /// Nil to draw the list.
    private func reaction() throws -> Reaction? {
        if let exec { return .run(try ExecutedCommand(exec, isForBatch: batch)) }
        return try format.map { .line(try Template($0)) }
    }

    private enum Reaction {
        case line(Template)
        case run(ExecutedCommand)

        var namedFields: [NamedField] {
            switch self {
            case .line(let template): template.fields.compactMap { NamedField($0, "--format", .shown) }
            case .run(let command): command.fields.compactMap { NamedField($0, "--exec", .shown) }
            }
        }
    }

    private func namedFields() throws -> [NamedField] {
        try view.items.namedFields + (try reaction()?.namedFields ?? [])
    }

    func run() async throws {
        StandardStreams.exitWhenOutputCloses()
        if case .run(let command) = try reaction() { try command.checkProgram() }
        let client = try daemon.client()
        // A missing daemon at startup is an error, as for any command.
        try await client.withConnection(patience: .zero) { _ in }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for list in lists {
                group.addTask {
                    try await follow(list, client)
                    printMessage("\(list) was deleted")
                }
            }
            group.addTask { throw try await client.reportConnectionLosses(isEnd: noReconnect) }
            for _ in lists { try await group.next() }
            group.cancelAll()
        }
    }

    private func follow(_ list: ListName, _ client: Client) async throws {
        let options = try options()
        if json {
            // Each update is one write, so that a reader of a pipe gets it at once.
            return try await client.lines(of: list, options: options) { lines in
                Watch.drawing.withLock { _ in StandardOutput.writeJSON(lines) }
            }
        }
        let reaction = try reaction()
        let fields = try namedFields()
        var liveness: Liveness?
        for try await update in client.list(list, options: options) {
            if update.liveness != liveness {
                liveness = update.liveness
                printLiveness(liveness, of: list)
            }
            if update.cause == .initial, !fields.isEmpty {
                let shown = update.snapshot.untyped
                try? await client.withConnection {
                    await FieldAdvice(fields, of: list, over: $0).printWarnings(shown: shown)
                }
            }
            guard let reaction else {
                draw(update)
                continue
            }
            if update.cause == .initial, !initial { continue }
            let kinds = on ?? .all
            try await react(to: ItemEvent.all(in: update).filter { kinds.kinds.contains($0.kind) }, reaction)
        }
    }

    private func printLiveness(_ liveness: Liveness?, of list: ListName) {
        switch liveness {
        case .live: printMessage("\(list) is live")
        case .notLive(let since):
            let time = since.map { " since \(localTime(milliseconds: $0))" } ?? ""
            printMessage("\(list) is not live\(time): this is the last state received from its source")
        case nil: break
        }
    }

    private func react(to events: [ItemEvent], _ reaction: Reaction) async throws {
        switch reaction {
        case .line(let template):
            Watch.drawing.withLock { _ in
                var output = StandardOutput()
                // One line for each event, with line feeds inside it made visible.
                for event in events { output.plainLine(template.filled(for: event)) }
                output.flush()
            }
        case .run(let command):
            let environment = CommandEnvironment.base(socket: try daemon.path())
            for events in batch ? [events] : events.map({ [$0] }) {
                try await command.run(for: events, environment: environment)
            }
        }
    }

    private static let drawing = Mutex(())

    private func draw(_ update: ListUpdate<Content?>) {
        let list = update.list
        let terminal = Terminal.standardOutput
        let heading = lists.count > 1 ? "\(terminal.styled("\(list)", .heading)) " : ""
        Watch.drawing.withLock { _ in
            switch update.cause {
            case .initial, .reload, .unknown:
                if update.cause == .unknown {
                    printMessage(
                        "the daemon sent \(list) again, for a reason that this diffablectl does not know; this is the whole list"
                    )
                }
                if !heading.isEmpty {
                    var output = StandardOutput()
                    output.line("\(heading.dropLast()):")
                    output.flush()
                }
                var outline = OutlineWriter(terminal)
                return outline.draw(update.snapshot.untyped)
            // The drawn state is known, so the changes since then are shown below.
            case .history:
                printMessage(
                    "some changes of \(list) are no longer available one by one; all of them are shown together")
            case .epoch:
                printMessage("\(list) was deleted and created again; the differences between the two lists are shown")
            case .deleted: printMessage("\(list) was deleted; waiting for the next list of that name")
            case .changes: break
            }
            let changes = ChangeLines(
                update.difference, from: update.previous.untyped, to: update.snapshot.untyped, on: terminal)
            var output = StandardOutput()
            for line in changes.lines {
                output.line("\(heading)\(terminal.styled("\(update.revision)", .dim)) \(line)")
            }
            output.flush()
        }
    }
}
