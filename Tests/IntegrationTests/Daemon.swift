import Foundation

/// A daemon with a socket and a state directory of its own.
final class Daemon {
    let directory: ScratchDirectory
    private(set) var program: Program
    private let environment: [String: String]

    /// - Parameters:
    ///   - text: its configuration, for the first start.
    ///   - environment: for every start.
    init(
        in directory: ScratchDirectory? = nil, configured text: String? = nil, environment: [String: String] = [:]
    ) throws {
        let directory = try directory ?? ScratchDirectory()
        self.directory = directory
        self.environment = environment
        let file = try text.map { try directory.write($0, to: Self.configurationName) }
        self.program = try Daemon.started(in: directory, configuration: file, environment: environment)
    }

    private static let configurationName = "diffabled.yaml"

    /// Of one that was made with a configuration.
    var configurationFile: String { directory.file(Self.configurationName) }

    /// What it reads when it reloads; it must have been made with a configuration.
    func configure(_ text: String) throws { _ = try directory.write(text, to: Self.configurationName) }

    var socket: String { directory.file("socket") }

    /// Starts another on the same socket and state; the one before must have ended.
    func restart() throws {
        program = try Daemon.started(in: directory, environment: environment)
    }

    private static func started(
        in directory: ScratchDirectory, configuration: String? = nil, environment: [String: String]
    ) throws -> Program {
        let program = try start(in: directory, configuration: configuration, environment: environment)
        try eventually(within: 30, "daemon; it said: \(program.complaints)") {
            if let status = program.exitStatus() {
                throw Failure("the daemon ended with \(status): \(program.complaints)")
            }
            return try? RawClient(connectingTo: directory.file("socket"))
        }.close()
        return program
    }

    /// Starts a daemon without waiting for it.
    static func start(
        in directory: ScratchDirectory, socket: String? = nil, state: String? = nil, configuration: String? = nil,
        environment: [String: String] = [:]
    ) throws -> Program {
        try Program(
            Binaries.daemon,
            [
                "--socket", socket ?? directory.file("socket"), "--state-directory", state ?? directory.file("state"),
            ] + (configuration.map { ["--config", $0] } ?? []), environment: environment, in: directory)
    }

    deinit { program.end(with: SIGKILL) }
}

// MARK: - Talking to it

extension Daemon {
    func connect() throws -> RawClient { try RawClient(connectingTo: socket) }

    /// What `diffablectl` did.
    struct Answer {
        var status: Int32
        var output: String
        var complaints: String
    }

    @discardableResult
    func companion(_ arguments: String..., input: String? = nil) throws -> Answer {
        let program = try startCompanion(arguments, input: input)
        let status = try program.wait(within: 120)
        return Answer(status: status, output: program.output, complaints: program.complaints)
    }

    /// The same, where anything but success ends the test. Gives the output.
    @discardableResult
    func succeed(_ arguments: String..., input: String? = nil) throws -> String {
        let program = try startCompanion(arguments, input: input)
        guard try program.wait(within: 120) == 0 else {
            throw Failure("diffablectl \(arguments.joined(separator: " ")): \(program.complaints)")
        }
        return program.output
    }

    func startCompanion(_ arguments: [String], input: String? = nil) throws -> Program {
        let file = try input.map { try directory.write($0, to: "input-\(UUID().uuidString.prefix(8))") }
        return try Program(
            Binaries.companion, arguments, input: file, environment: ["DIFFABLED_SOCKET": socket], in: directory)
    }

    /// A subscriber as people without a client library have one.
    func startSocatSubscriber(to list: String) throws -> Program {
        let request = try directory.write("subscribe \(list)\n", to: "subscribe-\(UUID().uuidString.prefix(8))")
        return try Program(
            "/usr/bin/socat", ["-t", "1e9", "-", "UNIX-CONNECT:\(socket)"], input: request, in: directory)
    }
}
