import Glibc

/// The destination of log lines: the journal, with fields, or stderr as text.
package enum LogDestination: Equatable, Sendable {
    case journal
    case standardError

    /// Returns the journal if stderr is connected to it. `JOURNAL_STREAM` alone does not show that, because children with a
    /// redirected stderr inherit it. So its device and inode are compared with stderr's.
    package static func detect() -> LogDestination {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return .standardError }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)" ? .journal : .standardError
    }
}
