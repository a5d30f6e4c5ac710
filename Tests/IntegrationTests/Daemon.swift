import Foundation

/// A daemon with its own socket and state directory.
final class Daemon: Serving {
    let directory: ScratchDirectory
    private(set) var program: Program
    private let environment: [String: String]

    /// - Parameters:
    ///   - text: the configuration for the first start.
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

    /// The configuration file, if there is one.
    var configurationFile: String { directory.file(Self.configurationName) }

    /// Replaces the configuration of a daemon that was made with one.
    func configure(_ text: String) throws { _ = try directory.write(text, to: Self.configurationName) }

    var socket: String { directory.file("socket") }

    /// Starts another daemon on the same socket and state; the previous one must have ended.
    func restart() throws {
        program = try Daemon.started(in: directory, environment: environment)
    }

    private static func started(
        in directory: ScratchDirectory, configuration: String? = nil, environment: [String: String]
    ) throws -> Program {
        let program = try start(in: directory, configuration: configuration, environment: environment)
        try eventually("daemon; it said: \(program.complaints)") {
            if let status = program.exitStatus() {
                throw Failure("the daemon ended with \(status): \(program.complaints)")
            }
            return try? RawClient(connectingTo: directory.file("socket"))
        }.close()
        return program
    }

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
