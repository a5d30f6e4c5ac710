import Diffable
import DiffableInput
import Glibc

/// Rows from the output of a command, which counts when the command ends with status 0.
package struct CommandSource: FeedSource {
    private let settings: CommandSettings
    private let rows: RowMapping
    private let states: CommandStates
    /// `NAME=value`
    private let environment: [String]
    /// Takes what it writes to its standard error.
    private let complain: @Sendable ([UInt8]) -> Void

    /// In bytes. A longer output is not read to its end.
    package static let outputLengthMax = 256 << 20
    /// How long a stream may bring nothing after a line that cannot be read.
    static let patience = Duration.seconds(10)
    private let patience: Duration

    init(
        _ settings: CommandSettings, _ rows: RowMapping, complete: @escaping RowStates.Complete,
        environment: [String], patience: Duration = CommandSource.patience,
        complain: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) {
        self.patience = patience
        self.settings = settings
        self.rows = rows
        states = CommandStates(rows, complete: complete)
        self.environment = environment
        self.complain = complain
    }

    package var pace: FeedSchedule.Pace { settings.stream == nil ? .runs(every: settings.every) : .stream }
    package var watchedPaths: [String] { settings.on }

    package func run(_ deliver: @escaping @Sendable (FeedState) -> Void) async throws {
        var terms = CommandRun.Terms(complain: complain)
        terms.leftovers = .killed
        guard let stream = settings.stream else {
            terms.timeout = settings.timeout
            terms.outputLengthMax = Self.outputLengthMax
            let result = try await result(terms)
            try check(result)
            return deliver(try states.state(of: result.output, named: name))
        }
        let lines = StreamedLines(stream, rows, named: name, deliver)
        terms.receive = { lines.append($0) }
        let endless = terms
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let result = try await result(endless)
                try lines.end()
                try check(result)
                throw FeedError("\(program) ended; it is started again")
            }
            // A stream that brings nothing else after a line that cannot be read is ended, and started again.
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

    private var program: String { settings.isShell ? "the shell's line" : settings.words[0] }
    private var name: String { "the output of \(program)" }

    private func result(_ terms: CommandRun.Terms) async throws -> CommandRun.Result {
        let result: CommandRun.Result
        do { result = try await CommandRun(settings.words, environment: environment, terms).result(ofInput: []) } catch
        {
            throw FeedError("\(error)")
        }
        try Task.checkCancellation()
        return result
    }

    private func check(_ result: CommandRun.Result) throws(FeedError) {
        let complaint = result.lastComplaint.map { ": \($0)" } ?? ""
        if result.isOverdue {
            throw FeedError("\(program) was ended, because it ran longer than \(settings.timeout.inWords)\(complaint)")
        }
        if result.isTooLong {
            throw FeedError("\(program) wrote more than \(grouped(Self.outputLengthMax)) bytes, and was ended")
        }
        switch result.ending {
        case .status(0): break
        // The writer of a pipe receives SIGPIPE when its reader needs no more, as with `head`.
        case .status(128 + SIGPIPE) where settings.isShell: break
        case .status(let status): throw FeedError("\(program) ended with status \(status)\(complaint)")
        case .signal(let signal):
            throw FeedError(
                "\(program) was ended by signal \(signal) (\(String(cString: strsignal(signal))))\(complaint)")
        }
    }
}

extension Duration {
    /// Such as `1.5 s`.
    var inWords: String {
        let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
        return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(Double(milliseconds) / 1_000) s"
    }
}
