import Dispatch
import Glibc
import Synchronization

/// One run of a command that is given its input as a whole, and whose output is read as far as it counts.
///
/// The command is a process group of its own. When the task is cancelled, the group is told to end (SIGTERM), and killed
/// when it has not in `mercy`.
package final class CommandRun: Sendable {
    package struct Result: Sendable {
        package var ending: ChildProcess.Ending
        /// Its standard output, as far as nobody took it while it ran.
        package var output: [UInt8]
        /// The last line of its standard error that is not empty.
        package var lastComplaint: String?
        /// It wrote more than is read, and was told to end for that.
        package var isTooLong = false
        /// It ran longer than it may, and was told to end for that.
        package var isOverdue = false
    }

    /// What holds for a run beside its words.
    package struct Terms: Sendable {
        /// Its standard output, in bytes; only as far as nobody takes it while it runs.
        package var outputLengthMax = 16 << 20
        /// After which it is told to end; nil for none.
        package var timeout: Duration?
        /// What becomes of processes of its group that are still there when it has ended.
        package var leftovers = Leftovers.leftAlone
        /// Takes the output while it runs, on the thread that reads it.
        package var receive: (@Sendable ([UInt8]) -> Void)?
        /// Takes the standard error while it runs.
        package var complain: @Sendable ([UInt8]) -> Void
        /// Hears in words what is done to it.
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

    /// Between SIGTERM and SIGKILL.
    package static let mercy = Duration.seconds(5)

    private let words: [String]
    private let environment: [String]
    private let terms: Terms
    /// The end to write to when the task is cancelled; nil while nothing runs.
    private let cancelling = Mutex<Int32?>(nil)

    package init(_ words: [String], environment: [String], _ terms: Terms) {
        self.words = words
        self.environment = environment
        self.terms = terms
    }

    /// Runs it to its end. Throws when it cannot be started.
    package func result(ofInput input: [UInt8]) async throws -> Result {
        let (wake, waking) = try ChildProcess.pipe()
        cancelling.withLock { $0 = waking }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // It blocks, so it has a thread of its own.
                DispatchQueue(label: "command").async {
                    let result = Swift.Result<Result, any Error> {
                        var exchange = try CommandExchange(
                            self.words, self.environment, input, self.terms, wakenBy: wake)
                        return exchange.run(endedOver: waking)
                    }
                    // No one writes to a number that is another descriptor's by then.
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
