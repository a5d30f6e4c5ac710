import Diffable
import DiffableClient

/// How a change is asked for again when the daemon has gone away before it answered.
///
/// The change has a key, so that it is made once however often it is asked for.
struct Retrying {
    /// In seconds.
    let limit: Int
    /// Whether a daemon that is not there to begin with is waited for as well.
    let waitsForDaemon: Bool
    private let end: ContinuousClock.Instant
    private var pause = Duration.milliseconds(20)
    private var hasSpoken = false
    /// The first error that left the outcome open.
    private var openOutcome: ClientError?

    private static let pauseMax = Duration.seconds(1)

    init(limit: Int, waitsForDaemon: Bool) {
        self.limit = limit
        self.waitsForDaemon = waitsForDaemon
        end = .now + .seconds(limit)
    }

    /// Asks until there is an answer that asking again would not change, or until the time is over.
    mutating func ask<R>(_ body: () async throws -> R) async throws -> R {
        while true {
            do { return try await body() } catch let error as ClientError where passes(error) {
                if openOutcome == nil, error.leavesOutcomeOpen { openOutcome = error }
                guard .now + pause < end else { throw openOutcome ?? error }
                if !hasSpoken { say("\(error.brief); trying again for \(limit) s") }
                hasSpoken = true
                try await Task.sleep(for: pause)
                pause = min(pause * 2, Retrying.pauseMax)
            }
        }
    }

    /// Whether the error may be gone when the daemon is back.
    private func passes(_ error: ClientError) -> Bool {
        switch error {
        case .connectionLost, .noReply: true
        case .refused(let refusal): refusal.name == "storageFailed" || refusal.name == "shuttingDown"
        // Nobody was there to begin with, as far as we know, unless we have met somebody.
        case .noSocket, .noConnection: waitsForDaemon || hasSpoken
        case .noPermission, .untrustedSocket, .subscriptionEnded, .unintelligible, .undecodable, .noMergePatch,
            .cancelled:
            false
        }
    }
}

extension ClientError {
    /// Whether the change may have been made.
    fileprivate var leavesOutcomeOpen: Bool {
        switch self {
        case .connectionLost, .noReply: true
        case .refused(let refusal): refusal.name == "storageFailed"
        default: false
        }
    }

    fileprivate var brief: String {
        switch self {
        case .connectionLost: "the daemon closed the connection before it answered"
        case .noReply: "the daemon says nothing"
        case .refused(let refusal) where refusal.name == "shuttingDown": "the daemon is shutting down"
        case .refused: "the daemon cannot write to its disk"
        default: "no daemon answers yet"
        }
    }
}
