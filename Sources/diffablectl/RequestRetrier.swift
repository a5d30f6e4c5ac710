import Diffable
import DiffableClient

/// Repeats the request for a change when the daemon stopped before it replied. The request has a key, so that the change is
/// made once however often the request is sent.
struct RequestRetrier {
    /// The time to keep trying, in seconds.
    let limit: Int
    /// Whether it also waits for a daemon that is missing at first.
    let waitsForDaemon: Bool
    private let end: ContinuousClock.Instant
    private var failures = 0
    /// The first error after which the outcome is unknown.
    private var openOutcome: ClientError?

    init(limit: Int, waitsForDaemon: Bool) {
        self.limit = limit
        self.waitsForDaemon = waitsForDaemon
        end = .now + .seconds(limit)
    }

    /// Repeats the request until there is a final reply, or until the time is over.
    mutating func send<R>(_ body: () async throws -> R) async throws -> R {
        while true {
            do { return try await body() } catch let error as ClientError where isRetryable(error) {
                if openOutcome == nil, error.leavesOutcomeOpen { openOutcome = error }
                let pause = Backoff.pause(afterFailures: failures + 1)
                guard .now + pause < end else { throw openOutcome ?? error }
                if failures == 0 { printMessage("\(error.brief); retrying for up to \(limit) s") }
                failures += 1
                try await Task.sleep(for: pause)
            }
        }
    }

    /// Whether a retry may succeed. If no daemon was there at first, it may only if the user asked to wait for one.
    private func isRetryable(_ error: ClientError) -> Bool {
        error.isSettledByAskingAgain && (!error.isAbsence || waitsForDaemon || failures > 0)
    }
}

extension ClientError {
    fileprivate var brief: String {
        switch self {
        case .connectionLost: "the daemon closed the connection before it answered"
        case .noReply: "the daemon does not reply"
        case .refused(let refusal) where refusal.code == .shuttingDown: "the daemon is shutting down"
        case .refused: "the daemon cannot write to its disk"
        default: "no daemon answers yet"
        }
    }
}
