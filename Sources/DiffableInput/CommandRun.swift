import Dispatch
import Glibc
import Synchronization

/// One run of a command that gets its whole input, and whose output is read up to a limit. The command has its own process group.
/// When the task is cancelled, the group gets SIGTERM, and SIGKILL if it has not ended after `mercy`.
package final class CommandRun: Sendable {
    package struct Result: Sendable {
        package var ending: ChildProcess.Ending
        /// The standard output, unless `receive` took it during the run.
        package var output: [UInt8]
        /// The last line of its standard error that is not empty.
        package var lastComplaint: String?
        /// Whether it was ended because it wrote more than `outputLengthMax`.
        package var isTooLong = false
        package var isOverdue = false
    }

    package struct Options: Sendable {
        /// Bytes of the standard output, unless `receive` takes it.
        package var outputLengthMax = 16 << 20
        /// The time after which the command is ended; nil for no limit.
        package var timeout: Duration?
        /// How to treat processes of the group that still run when the command has ended.
        package var leftovers = Leftovers.leftAlone
        /// Takes the output during the run, on the thread that reads it. False ends the command as too long.
        package var receive: (@Sendable ([UInt8]) -> Bool)?
        /// Whether the errors are part of the output, in the order in which they are written.
        package var joinsErrors = false
        package var complain: @Sendable ([UInt8]) -> Void
        package var say: @Sendable (String) -> Void

        package init(
            complain: @escaping @Sendable ([UInt8]) -> Void = { _ in },
            say: @escaping @Sendable (String) -> Void = { _ in }
        ) {
            self.complain = complain
            self.say = say
        }
    }

    package enum Leftovers: Sendable {
        case leftAlone
        case killed
    }

    /// The time between SIGTERM and SIGKILL.
    package static let mercy = Duration.seconds(5)

    private let words: [String]
    private let environment: [String]
    private let options: Options
    /// The descriptor to write to when the task is cancelled; nil while nothing runs.
    private let cancelling = Mutex<Int32?>(nil)

    package init(_ words: [String], environment: [String], _ options: Options) {
        self.words = words
        self.environment = environment
        self.options = options
    }

    /// Runs the command to its end. Throws if it cannot be started.
    package func result(ofInput input: [UInt8]) async throws -> Result {
        let (wake, waking) = try ChildProcess.pipe()
        cancelling.withLock { $0 = waking }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The exchange blocks, so it has a thread of its own.
                DispatchQueue(label: "command").async {
                    let result = Swift.Result<Result, any Error> {
                        var exchange = try CommandExchange(
                            self.words, self.environment, input, self.options, wakenBy: wake)
                        return exchange.run(endedOver: waking)
                    }
                    // Cleared before the descriptor's number can be reused.
                    self.cancelling.withLock { $0 = nil }
                    close(wake)
                    close(waking)
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            cancelling.withLock { descriptor in
                if let descriptor { CommandExchange.Event.isCancelled.write(to: descriptor) }
            }
        }
    }
}
