import ArgumentParser
import DiffableClient
import Glibc

struct DaemonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Connect to this socket.", valueName: "path"))
    var socket: String?
    @Flag(help: "Use your own daemon.") var user = false
    @Flag(help: "Use the system's daemon.") var system = false

    func validate() throws {
        guard [socket != nil, user, system].count(where: { $0 }) <= 1 else {
            throw ValidationError("--socket, --user and --system each name a daemon; use one of them")
        }
    }

    func path() throws -> SocketPath {
        if system { return .system }
        if user {
            guard let path = SocketPath.user else {
                throw ValidationError(
                    "--user: $XDG_RUNTIME_DIR is not set, so your own daemon cannot be found; set it, usually to "
                        + "/run/user/\(getuid()), or name the socket with --socket instead of --user")
            }
            return path
        }
        return try .find(socket)
    }

    func client() throws -> Client {
        Client(socket: try path(), name: "diffablectl")
    }

    /// A client for an interactive command. It checks that a silent daemon still responds only when asked to.
    func clientAskingWhenUsed() throws -> Client {
        Client(askingWhenToldTo: try path(), name: "diffablectl")
    }

    func withConnection<R: Sendable>(_ body: (Connection) async throws -> R) async throws -> R {
        let path = try path()
        do {
            return try await Connection.withConnection(to: path, name: "diffablectl", body)
        } catch ClientError.refused(let refusal) where refusal.code == .noSuchList {
            throw await MissingListAdvice.error(for: refusal, lookedAt: path)
        }
    }

    /// For requests that change nothing. If the connection is lost, the error need not mention a change with an unknown outcome.
    func withReadOnlyConnection<R: Sendable>(_ body: (Connection) async throws -> R) async throws -> R {
        do { return try await withConnection(body) } catch ClientError.connectionLost(let path) {
            throw CommandError(
                .noDaemon,
                "the daemon at \(path) closed the connection before it replied; try again when it is running")
        } catch ClientError.noReply(let path, let time) {
            let own = path == SocketPath.user ? " --user" : ""
            throw CommandError(
                .noDaemon,
                "the daemon at \(path) has said nothing for \(time.components.seconds) s: it may hang. See what it says with "
                    + "`systemctl\(own) status diffabled`, and restart it if it is stuck")
        }
    }
}

// MARK: - Before the command

extension DaemonOptions {
    /// Moves options before the command to the place after it, where the command's parser expects them. `isCommand` says
    /// whether words name a command or a subcommand.
    static func movingOptionsAfterCommand(_ arguments: [String], isCommand: ([String]) -> Bool) -> [String] {
        var options: [String] = []
        var rest = arguments[...]
        while let word = rest.first {
            if word == "--socket", rest.count > 1 {
                options += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else if ["--user", "--system"].contains(word) || word.hasPrefix("--socket=") {
                options.append(word)
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        var command: [String] = []
        while let word = rest.first, isCommand(command + [word]) {
            command.append(word)
            rest = rest.dropFirst()
        }
        return command.isEmpty ? arguments : command + options + rest
    }
}
