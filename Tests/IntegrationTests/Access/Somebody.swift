import Foundation
import Testing

/// Another user of this machine, by numeric ids without names.
struct Somebody {
    var userID: UInt32
    var groups: [UInt32] = []

    /// Whether this process can run programs as another user, which needs root.
    static var isPossible: Bool {
        geteuid() == 0 && Binaries.isInstalled("setpriv") && Binaries.isInstalled("socat")
    }

    static let alice = Somebody(userID: 61_001)
    static let bob = Somebody(userID: 61_002)

    /// The command that runs a program as this user.
    fileprivate var command: [String] {
        let supplementary =
            groups.isEmpty ? ["--clear-groups"] : ["--groups", groups.map(String.init).joined(separator: ",")]
        return ["--reuid", "\(userID)", "--regid", "\(userID)"] + supplementary
    }

    /// Starts a program as this user.
    func start(
        _ path: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
        in directory: ScratchDirectory
    ) throws -> Program {
        try Program(
            "/usr/bin/setpriv", command + [path] + arguments, input: input, environment: environment, in: directory)
    }
}

extension Trait where Self == ConditionTrait {
    /// Requires root, to run programs as other users.
    static var withSeveralUsers: Self {
        .enabled(
            if: Somebody.isPossible,
            "needs root, setpriv and socat, to connect as several users")
    }
}

extension Daemon {
    /// Starts a daemon whose socket other users can reach.
    static func forEverybody(configured text: String? = nil) throws -> Daemon {
        let directory = try ScratchDirectory()
        chmod(directory.path, 0o755)
        return try Daemon(in: directory, configured: text)
    }
}

extension Serving {
    /// Runs `diffablectl` as another user.
    @discardableResult
    func companion(as user: Somebody, _ arguments: String...) throws -> CompanionAnswer {
        let program = try user.start(
            Binaries.companion, arguments, environment: ["DIFFABLED_SOCKET": socket], in: directory)
        let status = try program.wait()
        return CompanionAnswer(status: status, output: program.output, complaints: program.complaints)
    }

    /// Starts a client as another user, with these lines to send.
    func startClient(as user: Somebody, sending lines: [String]) throws -> Program {
        let input = try directory.write(
            lines.map { "\($0)\n" }.joined(), to: "lines-\(UUID().uuidString.prefix(8))")
        return try user.start(
            "/usr/bin/socat", ["-t", "1e9", "-", "UNIX-CONNECT:\(socket)"], input: input, in: directory)
    }

    /// The same, but the client keeps its side open.
    func startOpenClient(as user: Somebody, sending lines: [String]) throws -> Program {
        let input = try directory.write(
            lines.map { "\($0)\n" }.joined(), to: "lines-\(UUID().uuidString.prefix(8))")
        return try user.start(
            "/usr/bin/socat", ["OPEN:\(input),rdonly,ignoreeof!!STDOUT", "UNIX-CONNECT:\(socket)"], in: directory)
    }

    /// Returns the replies to another user's lines.
    func replies(to user: Somebody, _ lines: [String]) throws -> [String] {
        let program = try startClient(as: user, sending: lines)
        guard try program.wait() == 0 else { throw Failure("socat: \(program.complaints)") }
        return program.outputLines
    }
}
