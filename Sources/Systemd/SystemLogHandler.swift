import CSystemd
import Glibc
import Logging

/// Writes log lines to the systemd journal, metadata as fields of their own: `list` and `peerUID` of the program
/// `diffabled` become `DIFFABLED_LIST` and `DIFFABLED_PEER_UID`, so that `journalctl DIFFABLED_LIST=tasks` finds them.
package struct SystemLogHandler: MetadataLogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    private let identifier: String
    private let fallback: StandardErrorLogHandler

    /// - Parameter identifier: the identifier for `journalctl -t`; in upper case, it is the prefix of each field's name.
    package init(identifier: String) {
        self.identifier = identifier
        self.fallback = StandardErrorLogHandler()
    }

    package func log(event: LogEvent) {
        if send(assignments(for: event)) < 0 { fallback.log(event: event) }
    }

    func assignments(for event: LogEvent) -> [String] {
        let own = [
            "MESSAGE=\(LogText.escaped("\(event.message)"))",
            "PRIORITY=\(event.level.syslogPriority)",
            "SYSLOG_IDENTIFIER=\(identifier)",
            "CODE_FILE=\(event.file)",
            "CODE_LINE=\(event.line)",
            "CODE_FUNC=\(event.function)",
        ]
        return own
            + fields(of: event).map { journalFieldName($0.name, prefix: identifier) + "=" + LogText.escaped($0.value) }
    }

    /// Sends one copy of all fields with pointers into it. Returns a negative error number on failure.
    private func send(_ assignments: [String]) -> Int32 {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for assignment in assignments {
            bytes.append(contentsOf: assignment.utf8)
            ends.append(bytes.count)
        }
        return bytes.withUnsafeMutableBytes { bytes in
            var start = 0
            var fields: [iovec] = []
            for end in ends {
                fields.append(iovec(iov_base: bytes.baseAddress.map { $0 + start }, iov_len: end - start))
                start = end
            }
            return sd_journal_sendv(fields, Int32(fields.count))
        }
    }
}

/// Returns a journal field's name: upper-case letters, digits and underscores, at most 64 of them.
func journalFieldName(_ key: String, prefix: String) -> String {
    var name: [UInt8] = []
    for part in [prefix, key] {
        if !name.isEmpty { name.append(UInt8(ascii: "_")) }
        var previous: UInt8 = 0
        for byte in part.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                // `peerUID` is two words, `UID` is one.
                if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(previous) { name.append(UInt8(ascii: "_")) }
                name.append(byte)
            case UInt8(ascii: "a")...UInt8(ascii: "z"): name.append(byte - 0x20)
            case UInt8(ascii: "0")...UInt8(ascii: "9"): name.append(byte)
            default: name.append(UInt8(ascii: "_"))
            }
            previous = byte
        }
    }
    return String(decoding: name.prefix(64), as: UTF8.self)
}

extension Logger.Level {
    /// The priority of syslog(3).
    var syslogPriority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
