import Dispatch
import Glibc
import Synchronization

/// One run of a command that is given its input as a whole, and whose output is read as far as it counts.
///
/// The command is a process group of its own. When the task is cancelled, the group is told to end (SIGTERM), and killed
/// when it has not in `mercy`. What a command leaves running in the background when it ends by itself is left alone.
final class CommandRun: Sendable {
    struct Result {
        var ending: ChildProcess.Ending
        /// Its standard output.
        var output: [UInt8]
        /// The last line of its standard error that is not empty.
        var lastComplaint: String?
        /// It wrote more than is read, and was told to end for that.
        var isTooLong = false
    }

    /// In bytes: what the daemon takes is far less.
    static let outputLengthMax = 16 << 20
    /// Between SIGTERM and SIGKILL.
    static let mercy = Duration.seconds(5)

    private let words: [String]
    private let environment: [String]
    /// The end to write to when the task is cancelled; nil while nothing runs.
    private let cancelling = Mutex<Int32?>(nil)

    init(_ words: [String], environment: [String]) {
        self.words = words
        self.environment = environment
    }

    /// Runs it to its end. Throws when it cannot be started.
    func result(ofInput input: [UInt8]) async throws -> Result {
        let (wake, waking) = try ChildProcess.pipe()
        cancelling.withLock { $0 = waking }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // It blocks, so it has a thread of its own.
                DispatchQueue(label: "command").async {
                    let result = Swift.Result<Result, any Error> {
                        var exchange = try CommandExchange(self.words, self.environment, input, wakenBy: wake)
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
