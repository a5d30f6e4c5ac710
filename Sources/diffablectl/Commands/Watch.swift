import ArgumentParser
import Diffable
import DiffableClient

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension ListOptions.Form: ExpressibleByArgument {}

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw a list, then print each change as it happens.",
        discussion: """
            Each line begins with the revision: + is new, - is gone, > has moved, ~ looks different, ▾ and ▸ were \
            expanded and collapsed. With --json each line is a notification as the daemon sent it, reset or changes; its \
            operations are in .params.operations. With --deliver snapshots each has the whole list in .params.snapshot; \
            with patches the first one has, and then .params.patch is a JSON patch on that. When the connection is lost, \
            another is made and the changes go on where they were. Ends when the list is deleted, unless it is to wait \
            for the next one.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Flag(help: "The daemon's notifications, one on each line.") var json = false
    @Option(help: "What the notifications bring: operations, snapshots or patches. Needs --json.")
    var deliver: ListOptions.Form?
    @Option(help: ArgumentHelp("No more than one change in so many milliseconds.", valueName: "milliseconds"))
    var minInterval: Int?
    @Flag(help: "Wait for the list if there is none, and for the next one when it is deleted.") var wait = false
    @Flag(help: "End with status 3 when the connection is lost.") var noReconnect = false
    @OptionGroup(title: "What is shown") var view: ViewOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if deliver != nil, !json { throw ValidationError("--deliver chooses among notifications: add --json") }
    }

    private func options() throws -> ListOptions {
        var options = try view.options()
        options.minInterval = minInterval.map { .milliseconds($0) }
        if wait { options.ifAbsent = .isAwaited }
        options.form = deliver ?? .operations
        return options
    }

    func run() async throws {
        let client = try daemon.client()
        // A daemon that was never there is an error, as for any command.
        try await client.withConnection(patience: .zero) { _ in }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await follow(client) }
            group.addTask { try await tellLosses(of: client) }
            try await group.next()
            group.cancelAll()
        }
        say("\(list) was deleted")
    }

    private func follow(_ client: Client) async throws {
        let options = try options()
        if json {
            // One write for each group: a reader in a pipe gets it at once.
            try await client.lines(of: list, options: options) { write($0, to: STDOUT_FILENO) }
        } else {
            for try await update in client.list(list, options: options) { draw(update) }
        }
    }

    private func tellLosses(of client: Client) async throws {
        var isLost = false
        for await state in client.connectionStates {
            switch state {
            case .disconnected(let reason?):
                if noReconnect { throw reason }
                if !isLost { say("the connection to the daemon was lost; it is tried again until there is one") }
                isLost = true
            case .connected:
                if isLost { say("connected again") }
                isLost = false
            case .disconnected(nil): break
            }
        }
    }

    private func draw(_ update: ListUpdate<Content?>) {
        let terminal = Terminal.standardOutput
        switch update.cause {
        case .initial, .reload:
            var outline = OutlineWriter(terminal)
            return outline.draw(update.snapshot.untyped)
        // What was drawn is known, and so is what became different since.
        case .history: say("what happened in between is not kept any more; this is what it came to")
        case .epoch: say("\(list) was made anew in between; this is what it came to")
        case .deleted: say("\(list) was deleted; the next one of that name is waited for")
        case .changes: break
        }
        let changes = ChangeLines(
            update.difference, from: update.previous.untyped, to: update.snapshot.untyped, on: terminal)
        var output = StandardOutput()
        for line in changes.lines { output.line("\(terminal.styled("\(update.revision)", .dim)) \(line)") }
        output.flush()
    }
}
