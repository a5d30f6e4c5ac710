import ArgumentParser
import Diffable
import DiffableClient
import DiffableFeed
import DiffableInput
import DiffableProtocol
import DiffableView
import Glibc
import NIOCore
import ProcessArguments
import TaskThreads

/// The command: runs the feeds of a file, or one feed from options.
@main
struct DiffableFeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diffable-feed",
        abstract: "Keep lists in sync with commands, URLs, databases, directories and systemd units.",
        discussion: """
            Without a list, diffable-feed runs the feeds of a file. The file is the one that --config or \
            $DIFFABLED_FEEDS names, otherwise $XDG_CONFIG_HOME/diffabled/feeds.yaml or ~/.config/diffabled/feeds.yaml, \
            and for root /etc/diffabled/feeds.yaml. On SIGHUP, diffable-feed reads the file again. If the file \
            contains a mistake, the old feeds continue.

            With a list and a command, diffable-feed runs only this feed:
              diffable-feed ps --every 2s --from columns --id .PID -- ps aux
              diffable-feed uploads --on ~/Uploads --from lines -- ls ~/Uploads

            diffable-feed finds the daemon as diffablectl does: --socket, $DIFFABLED_SOCKET, your own or the system's. \
            While your own daemon is stopped, a feed waits for it. Add --system to use the system's daemon instead.

            If a feed fails, its list stays as it is, and its item in the list feeds shows the error. \
            diffablectl perform feeds run LIST runs a feed now; the other actions are pause and resume. A feed runs \
            again only after a pause of at least four times the duration of its last run.

            Exit status:
              0   ended by a signal, or --once succeeded
              64  invalid options
              69  no daemon (with --once)
              70  the feed failed (with --once)
              78  the file cannot be used
            """,
        version: Version.current)

    @Argument(help: "The list to fill from the command after --.", transform: listName) var list: ListName?
    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("A command, run without a shell. Its output is the list.", valueName: "command"))
    var command: [String] = []

    @Option(help: ArgumentHelp("Read the feeds from this file.", valueName: "file")) var config: String?
    @Option(help: ArgumentHelp("Connect to this socket.", valueName: "path")) var socket: String?
    @Flag(help: "Use your own daemon.") var user = false
    @Flag(help: "Use the system's daemon.") var system = false
    @Option(
        help: ArgumentHelp("The list with the status of each feed. Default: feeds.", valueName: "list"),
        transform: listName)
    var feeds: ListName = "feeds"

    @Flag(help: "Check the file and exit.") var check = false
    @Option(help: ArgumentHelp("Run the feed of this list once and exit.", valueName: "list"), transform: listName)
    var once: ListName?
    @Flag(help: "With --once: print the operations that would change the list, one on each line, and change nothing.")
    var dryRun = false

    @OptionGroup(title: "For a list and a command") var options: FeedOptions

    func validate() throws {
        if list == nil, !command.isEmpty {
            throw ValidationError("the list is missing; use diffable-feed LIST -- COMMAND")
        }
        if list != nil, command.isEmpty {
            throw ValidationError("the command is missing; use diffable-feed LIST -- COMMAND")
        }
        if list != nil, config != nil || check || once != nil {
            throw ValidationError(
                "--config, --check and --once are for feeds of a file and cannot be combined with a list and a command: write "
                    + "this feed into the file, or leave these options out")
        }
        if list == feeds { throw ValidationError(FeedConfiguration.boardIsNoFeed(feeds)) }
        if list == nil, let option = options.firstUsed {
            throw ValidationError(
                "\(option) can be used only with a list and a command; for a feed of the file, set the key in the file")
        }
        guard [socket != nil, user, system].count(where: { $0 }) <= 1 else {
            throw ValidationError("--socket, --user and --system cannot be combined")
        }
        if user, SocketPath.user == nil {
            throw ValidationError(
                "--user: $XDG_RUNTIME_DIR is not set, so the user's own daemon cannot be found; "
                    + "use --socket PATH instead")
        }
        if dryRun, once == nil {
            throw ValidationError(
                list.map {
                    "--dry-run cannot be combined with a list and a command: write this feed into the file of feeds (feeds.yaml), "
                        + "and use diffable-feed --once \($0) --dry-run"
                } ?? "--dry-run can be used only with --once LIST")
        }
        if check, once != nil { throw ValidationError("--check and --once cannot be combined") }
    }

    static func main() {
        // The only connection uses a single thread.
        NIOSingletons.groupLoopCountSuggestion = 1
        TaskThreads.run { await main(ProcessArguments.given()) }
    }

    func run() async throws {
        let configuration = FeedConfiguration(
            file: config, environment: ProcessEnvironment.given(), userID: getuid(), board: feeds)
        do {
            let settings = try list.map { [try options.feed($0, command)] } ?? configuration.read()
            if check {
                let path = configuration.path ?? "the file"
                // An unknown key is not an error: the file may be written for a newer viewer.
                for feed in settings {
                    let ofLook = (feed.look.map(LookCheck.complaints) ?? []).map { ("look", $0) }
                    let ofContent = LookCheck.itemComplaints(of: feed.constantContent).map { ("content", $0) }
                    for (what, complaint) in ofLook + ofContent {
                        report(
                            "diffable-feed: \(path): the \(what) of \(quoted(feed.list)): \(complaint)",
                            to: STDERR_FILENO)
                    }
                }
                let faults = settings.compactMap { feed in
                    do throws(FeedError) { try feed.checkProgram() } catch {
                        return
                            "\(path): feed \(quoted(feed.list)): \(feed.names.text(of: error)); install it, or correct \(feed.source.kind)"
                    }
                    return nil
                }
                if !faults.isEmpty {
                    throw FeedExit(status: FeedExit.configuration, message: faults.joined(separator: "\n"))
                }
                return report("\(path): \(counted(settings.count, "feed"))", to: STDOUT_FILENO)
            }
            let program = FeedProgram(
                socket: user ? SocketPath.user?.path : system ? SocketPath.system.path : socket, board: feeds)
            if let once { return try await program.once(settings, once, isDryRun: dryRun) }
            try await program.run(settings) { list == nil ? try configuration.read() : nil }
        } catch let error as FeedExit {
            report("diffable-feed: \(error.message)", to: STDERR_FILENO)
            throw ExitCode(error.status)
        }
    }
}

private func listName(_ argument: String) throws -> ListName {
    do { return try ListName(argument) } catch { throw ValidationError("a list's name \(error)") }
}

/// Why the program ends, with an exit status of sysexits.h.
struct FeedExit: Error {
    var status: Int32
    var message: String

    static let unavailable: Int32 = 69
    static let failed: Int32 = 70
    static let configuration: Int32 = 78
}

func report(_ text: String, to descriptor: Int32) { report(Array("\(text)\n".utf8), to: descriptor) }

@Sendable func report(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
