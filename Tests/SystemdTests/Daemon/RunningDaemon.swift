import Foundation
import Glibc
import TestSupport

/// The real diffabled in its own scratch directory, ended with its last reference.
final class RunningDaemon {
    let directory: ScratchDirectory
    private let process = Process()
    private let errors = Pipe()

    /// SwiftPM puts it next to the test bundle.
    private static let binary = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "diffabled").path

    /// Starts diffabled, or the launcher, with diffabled's command line after its own arguments.
    init(
        in directory: ScratchDirectory, launcher: [String] = [], arguments: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        self.directory = directory
        let command = launcher + [Self.binary] + arguments
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        // Nothing from the test's own environment, which may name a socket or a state directory.
        process.environment = environment.merging([
            "PATH": "/usr/bin:/bin", "HOME": directory.path, "XDG_CONFIG_HOME": directory.path,
            "DIFFABLED_STATE_DIRECTORY": directory.path + "/state",
        ]) { said, _ in said }
        process.standardError = errors
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Returns its stderr and its exit status, or nil if it does not end.
    func ending() -> (status: Int32, errors: String)? {
        guard eventually({ !process.isRunning }), process.terminationReason == .exit else { return nil }
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return (process.terminationStatus, text)
    }
}

/// A temporary directory that is deleted with its last reference.
final class ScratchDirectory {
    let path: String
    var socket: String { path + "/lists.sock" }

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "diffabled-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String, containing text: String) throws -> String {
        try text.write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
        return path + "/" + name
    }

    /// Whether a server accepts connections there.
    func canConnect() -> Bool {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return withUnixAddress(socket) { connect(descriptor, $0, $1) } == 0
    }
}
