import Glibc

/// Where log lines go: to the journal with their fields, or to stderr as text.
package enum LogDestination: Equatable, Sendable {
    case journal
    case standardError

    /// The journal if stderr is connected to it. `JOURNAL_STREAM` alone does not say so: it is inherited by children
    /// whose stderr was redirected since, so the device and inode it names are compared with stderr's own.
    package static func detect() -> LogDestination {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return .standardError }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)" ? .journal : .standardError
    }
}
