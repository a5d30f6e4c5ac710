import Glibc
import Logging

/// Writes log lines to stderr as plain text, each in one write: `2026-11-21T16:20:00Z warning: message list=tasks`.
///
/// A value with blanks is in quotation marks, and control characters are written as escapes (`LogText`).
package struct StandardErrorLogHandler: MetadataLogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    package init() {}

    package func log(event: LogEvent) {
        let line = Array((line(for: event, secondsSince1970: time(nil)) + "\n").utf8)
        line.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = write(STDERR_FILENO, rest.baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                // If stderr is closed, there is nowhere to report it.
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
    }

    func line(for event: LogEvent, secondsSince1970: time_t) -> String {
        var line = "\(utcTimestamp(secondsSince1970)) \(event.level): \(LogText.escaped("\(event.message)"))"
        for field in fields(of: event) {
            line += " \(LogText.escaped(field.name))=\(LogText.value(field.value))"
        }
        return line
    }
}

private func utcTimestamp(_ seconds: time_t) -> String {
    var seconds = seconds
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "-" }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
        let length = strftime(buffer.baseAddress!, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: UnsafeRawBufferPointer(buffer).prefix(length), as: UTF8.self)
    }
}
