import ArgumentParser
import DiffableProtocol
import Glibc
import Logging
import ProcessArguments
import Systemd
import TaskThreads

/// The daemon's command line. An error becomes a message and an exit status.
@main
struct Diffabled: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diffabled",
        abstract: "Keep lists and push their changes to subscribers.",
        discussion: """
            The environment variables DIFFABLED_SOCKET, DIFFABLED_STATE_DIRECTORY, DIFFABLED_CONFIG and \
            DIFFABLED_LOG_LEVEL set the options of the same names. The configuration file can set them too, and also \
            all limits. Options override the environment, and the environment overrides the file.

            Exit status:
              0   stopped by SIGTERM or SIGINT
              1   --check found damage
              64  invalid options
              69  another diffabled is using the socket or the lists
              70  an internal error of diffabled
              74  the lists cannot be read or written
              78  a mistake in the configuration
            """,
        version: Version.current)

    @Option(help: ArgumentHelp("Listen on this Unix socket.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("Store durable lists in this directory.", valueName: "dir"))
    var stateDirectory: String?

    @Option(help: ArgumentHelp("Read settings from this file.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("Minimum log level.", valueName: "level"))
    var logLevel: Logger.Level?

    @Flag(exclusivity: .exclusive)
    var task: OfflineTask?

    static func main() { TaskThreads.run { await main(ProcessArguments.given()) } }

    func run() async throws {
        if let task { return try carryOut(task) }
        let destination = LogDestination.detect()
        do {
            // First, while there is only one thread: it removes variables from the environment.
            let received = try ListenDescriptor.received()
            let startUp = try StartUp(
                flags: flags, configurationFile: config, received: received, processContext: .current)
            let threshold = LogThreshold(startUp.configuration.logLevel)
            bootstrapLogging(to: destination, threshold)
            try await Daemon(startUp: startUp, threshold: threshold, logger: Logger(label: "diffabled")).run()
        } catch {
            report(error, to: destination)
            await RestartDelay.wait(because: error)
            throw ExitCode(DaemonExit(for: error).rawValue)
        }
    }

    private func carryOut(_ task: OfflineTask) throws {
        let status: Int32
        do {
            let directory = try StartUp.stateDirectory(
                flags: flags, configurationFile: config, processContext: .current)
            try DirectoryOwner.become(ofDirectory: directory)
            let (lines, code) = try task.run(in: directory, .current)
            let text = Array(lines.map { "\($0)\n" }.joined().utf8)
            _ = write(STDOUT_FILENO, text, text.count)
            status = code
        } catch {
            report(error, to: .standardError)
            status = DaemonExit(for: error).rawValue
        }
        if status != 0 { throw ExitCode(status) }
    }

    private var flags: [Setting: String] {
        var flags: [Setting: String] = [:]
        flags[.socket] = socket.map(absolutePath)
        flags[.stateDirectory] = stateDirectory.map(absolutePath)
        flags[.logLevel] = logLevel?.rawValue
        return flags
    }

    private func report(_ error: any Error, to destination: LogDestination) {
        switch destination {
        case .journal:
            Logger(label: "diffabled") { _ in SystemLogHandler(identifier: "diffabled") }.critical("\(error)")
        case .standardError:
            let line = Array("diffabled: \(error)\n".utf8)
            _ = write(STDERR_FILENO, line, line.count)
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

/// A relative path on the command line is relative to the current directory.
private func absolutePath(_ path: String) -> String {
    guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    return String(cString: directory) + "/" + path
}

private func bootstrapLogging(to destination: LogDestination, _ threshold: LogThreshold) {
    LoggingSystem.bootstrap { _ in
        let handler: any LogHandler =
            switch destination {
            case .journal: SystemLogHandler(identifier: "diffabled")
            case .standardError: StandardErrorLogHandler()
            }
        return AdjustableLogHandler(handler, threshold)
    }
}
