import DiffableProtocol
import DiffableStore
import Logging
import NIOCore

/// Logs refused requests, so that an administrator can see them. Each user causes at most one line a second after a
/// short burst, because clients must not be able to fill the disk with logs.
final class RefusalLog {
    private let logger: Logger
    private var allowances: [UInt32: LogAllowance] = [:]

    private struct LogAllowance {
        var lines: TokenBucket
        /// The number of refusals since the last line that were not logged.
        var leftOut = 0
    }

    private static let linesPerSecond = 1
    private static let linesAtOnce = 10

    init(_ logger: Logger) { self.logger = logger }

    func note(_ error: WireError, of method: Method?, by peer: Peer, _ who: @autoclosure () -> Logger.Metadata) {
        let level = Self.level(of: error.code)
        guard logger.logLevel <= level else { return }
        guard let leftOut = takeAllowance(of: peer.userID, at: .now()) else { return }
        var metadata: Logger.Metadata = ["error": "\(error.code.name)"]
        metadata["list"] = error.list.map { "\($0)" }
        metadata["request"] = method.map { "\($0.rawValue)" }
        if leftOut > 0 { metadata["leftOut"] = "\(leftOut)" }
        metadata.merge(who()) { $1 }
        logger.log(level: level, "refused: \(error.message)", metadata: metadata)
    }

    /// The number of refusals left out before this one. Nil if this one is left out too.
    private func takeAllowance(of user: UInt32, at now: NIODeadline) -> Int? {
        var allowance =
            allowances[user]
            ?? LogAllowance(lines: TokenBucket(rate: Self.linesPerSecond, capacity: Self.linesAtOnce, at: now))
        defer { allowances[user] = allowance }
        allowance.lines.fill(at: now)
        if allowance.lines.isEmpty {
            allowance.leftOut += 1
            return nil
        }
        allowance.lines.take()
        defer { allowance.leftOut = 0 }
        return allowance.leftOut
    }

    /// Routine refusals are logged at a low level, and missing permissions at a high one.
    private static func level(of code: WireError.Code) -> Logger.Level {
        switch code {
        // The daemon has logged why it cannot read its configuration.
        case .revisionMismatch, .shuttingDown, .invalidConfiguration: .debug
        case .permissionDenied: .notice
        default: .info
        }
    }
}
