import Glibc

/// Where log lines go: to the journal with their fields, or to stderr as text.
package enum LogDestination: Equatable, Sendable {
    case journal
    case standardError

    /// The journal if stderr is connected to it. `JOURNAL_STREAM` alone does not show that: children inherit it whose
    /// stderr was redirected since. So the device and inode that it names are compared with stderr's own.
    package static func detect() -> LogDestination {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return .standardError }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)" ? .journal : .standardError
    }
}
