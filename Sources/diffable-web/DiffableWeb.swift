import ArgumentParser
import DiffableProtocol
import DiffableWeb
import Files
import Glibc
import NIOCore
import ProcessArguments
import TaskThreads

/// The command: serves lists to browsers, and creates the links for them.
@main
struct DiffableWebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diffable-web",
        abstract: "Show the lists of a diffabled daemon in a browser.",
        discussion: """
            Without a command, diffable-web serves: open the address that diffable-web link prints.
              diffable-web &
              diffable-web link wall --lists 'menu*' tasks

            A browser needs a link: a secret token with a name, lists, rights and an end. A link named anonymous \
            applies to requests without a token. The links are in the state directory, and only their owner can read them: \
            /var/lib/diffable-web/USER, which the unit diffable-web@USER creates, otherwise $XDG_STATE_HOME/diffable-web \
            or ~/.local/state/diffable-web.

            diffable-web finds the daemon as diffablectl does: --socket, $DIFFABLED_SOCKET, your own or the system's. A \
            browser can do no more than the user that diffable-web runs as.

            Limits:
              connectionsMax          \(WebLimits.connectionsMax)     connections of browsers
              connectionsPerTokenMax  \(WebLimits.connectionsPerTokenMax)      WebSockets and streams of a link
              messageLengthMax        1 MiB    the longest message of a browser
              firstRequestSeconds     \(WebLimits.firstRequestSeconds)       the time for a request, from the connection on

            Exit status:
              0   ended by a signal, or idle after socket activation
              64  invalid options
              65  no such link, or its name is taken
              69  an address cannot be used
              78  the state directory or a file in it cannot be used
            """,
        version: Version.current,
        subcommands: [Serve.self, MakeLink.self, Links.self, Unlink.self],
        defaultSubcommand: Serve.self)

    static func main() {
        // All connections share one event loop.
        NIOSingletons.groupLoopCountSuggestion = 1
        TaskThreads.run { await main(ProcessArguments.given()) }
    }
}

/// The directory that all commands share.
struct StateOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The directory with the links.", valueName: "dir")) var stateDirectory: String?

    /// An absolute path, also if it does not exist yet.
    func directory() throws -> String {
        let environment = ProcessEnvironment.given()
        func directory(_ name: String) -> String? { ProcessEnvironment.directory(name, in: environment) }
        guard
            let path = stateDirectory ?? directory("STATE_DIRECTORY") ?? Self.ofSystemUnit
                ?? directory("XDG_STATE_HOME").map({ "\($0)/diffable-web" })
                ?? directory("HOME").map({ "\($0)/.local/state/diffable-web" })
        else {
            throw ValidationError("neither XDG_STATE_HOME nor HOME is set: use --state-directory DIR")
        }
        return path
    }

    /// The directory of diffable-web@USER, if that unit's socket was ever started: commands of this user are about its links.
    private static var ofSystemUnit: String? {
        guard let user = getpwuid(geteuid()) else { return nil }
        let path = "/var/lib/diffable-web/\(String(cString: user.pointee.pw_name))"
        return access(path, X_OK) == 0 ? path : nil
    }
}

/// The name of a link. Any text is accepted here, so that `validate` can say what is wrong with it.
struct LinkName: ExpressibleByArgument {
    let text: String

    init(argument: String) { text = argument }

    var isValid: Bool {
        let isName = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || [0x2D, 0x2E, 0x5F].contains($0)
        }
        return isName && (1...64).contains(text.utf8.count)
    }
}

/// A number of days, checked as `LinkName` is.
struct Days: ExpressibleByArgument {
    let text: String

    init(argument: String) { text = argument }

    var number: Int? { Int(text).flatMap { (1...36_500).contains($0) ? $0 : nil } }
}

extension Permission: ExpressibleByArgument {}

enum ExitStatus {
    static let noSuchLink: Int32 = 65
    static let unavailable: Int32 = 69
    static let configuration: Int32 = 78
}

/// Writes an error, and returns the exit status to throw.
func failure(_ error: any Error) -> ExitCode {
    write("diffable-web: \(error)\n", to: STDERR_FILENO)
    switch error {
    case LinkError.taken, LinkError.missing: return ExitCode(ExitStatus.noSuchLink)
    case is ListenError: return ExitCode(ExitStatus.unavailable)
    default: return ExitCode(ExitStatus.configuration)
    }
}

func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
