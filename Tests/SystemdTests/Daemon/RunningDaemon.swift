import Foundation
import Glibc
import TestSupport

/// The real diffabled in a scratch directory of its own, ended when the test is done with it.
final class RunningDaemon {
    let directory: ScratchDirectory
    private let process = Process()
    private let errors = Pipe()

    /// SwiftPM puts it beside the test bundle.
    private static let binary = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "diffabled").path

    /// Without `launcher` diffabled itself is started; otherwise the launcher, with diffabled's command line behind
    /// its own.
    init(
        in directory: ScratchDirectory, launcher: [String] = [], arguments: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        self.directory = directory
        let command = launcher + [Self.binary] + arguments
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        // Nothing of the test's own surroundings: they may name a socket or a state directory.
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

    /// What it wrote to stderr and how it ended, or nothing if it does not end.
    func ending() -> (status: Int32, errors: String)? {
        guard eventually({ !process.isRunning }), process.terminationReason == .exit else { return nil }
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return (process.terminationStatus, text)
    }
}

/// A directory that is gone when nobody holds it any more.
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

    /// Whether somebody accepts there.
    func canConnect() -> Bool {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return withUnixAddress(socket) { connect(descriptor, $0, $1) } == 0
    }
}
