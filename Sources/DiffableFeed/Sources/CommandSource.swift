import Diffable
import DiffableInput
import Glibc

/// Reads rows from a command's output. The output counts only if the command exits with status 0.
package struct CommandSource: FeedSource {
    private let settings: CommandSettings
    private let rows: RowMapping
    private let states: CommandStates
    private let environment: [String]
    private let complain: @Sendable ([UInt8]) -> Void

    /// The time in which a stream has to deliver something after an unreadable line.
    static let patience = Duration.seconds(10)
    private let patience: Duration

    init(
        _ settings: CommandSettings, _ rows: RowMapping, complete: @escaping RowStates.CompleteContent,
        environment: [String], limits: InputLimits = FeedLimits.input, patience: Duration = CommandSource.patience,
        complain: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) {
        self.patience = patience
        self.settings = settings
        self.rows = rows.limited(by: limits)
        states = CommandStates(self.rows, complete: complete)
        self.environment = environment
        self.complain = complain
    }

    package var runMode: FeedSchedule.RunMode { settings.stream == nil ? .runs(every: settings.every) : .stream }
    package var watchedPaths: [String] { settings.on }

    package func run(_ deliver: @escaping @Sendable (FeedState) -> Void) async throws {
        var options = CommandRun.Options(complain: complain)
        options.leftovers = .killed
        guard let stream = settings.stream else {
            options.timeout = settings.timeout
            options.outputLengthMax = rows.limits.sourceLengthMax
            let result = try await result(options)
            try check(result)
            return deliver(try states.state(of: result.output, named: name))
        }
        let lines = StreamedLines(
            stream, rows, remove: settings.remove, named: name, lineLengthMax: rows.limits.sourceLengthMax, deliver)
        options.receive = {
            lines.append($0)
            return true
        }
        let endless = options
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let result = try await result(endless)
                try lines.end()
                try check(result)
                throw FeedError("\(program) ended; restarting it")
            }
            // A stream that delivers nothing else after an unreadable line is ended and restarted.
            group.addTask {
                while true {
                    await lines.broken.wait()
                    if !lines.isOver { try await Task.sleep(for: patience) }
                    try lines.end()
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private var program: String { settings.isShell ? "the shell command" : settings.words[0] }
    private var name: String { "the output of \(program)" }

    private func result(_ options: CommandRun.Options) async throws -> CommandRun.Result {
        let result: CommandRun.Result
        do {
            result = try await CommandRun(settings.words, environment: environment, options).result(ofInput: [])
        } catch {
            throw FeedError("\(error)")
        }
        try Task.checkCancellation()
        return result
    }

    private func check(_ result: CommandRun.Result) throws(FeedError) {
        let complaint = result.lastComplaint.map { ": \($0)" } ?? ""
        if result.isOverdue {
            throw FeedError(
                "\(program) was stopped because it ran longer than \(settings.timeout.inWords) (timeout; raise it if the command "
                    + "needs longer)\(complaint)")
        }
        if result.isTooLong {
            throw FeedError(
                "\(program) was stopped because it wrote more than \(grouped(rows.limits.sourceLengthMax)) bytes "
                    + "(sourceLengthMax); let it print less")
        }
        switch result.ending {
        case .status(0): break
        // The writer of a pipe receives SIGPIPE when its reader exits early, such as `head`.
        case .status(128 + SIGPIPE) where settings.isShell: break
        case .status(let status): throw FeedError("\(program) ended with status \(status)\(complaint)")
        case .signal(let signal):
            throw FeedError(ChildProcess.message(program, endedBy: signal) + complaint)
        }
    }
}

extension Duration {
    var inWords: String {
        let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
        return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(Double(milliseconds) / 1_000) s"
    }
}
