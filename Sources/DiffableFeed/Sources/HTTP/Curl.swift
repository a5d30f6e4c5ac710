import DiffableInput
import Synchronization

/// One request by curl. Its settings go to curl's standard input, so no other user sees a secret in the list of processes.
struct Curl {
    struct Result {
        var run: CommandRun.Result
        /// The absolute URL to which the reply redirects.
        var redirect: String?
        /// The last message of curl, without `curl: (7)`.
        var complaint: String?
    }

    static let program = "curl"
    /// The status with which curl ends after `max-time`.
    static let timedOut: Int32 = 28
    /// curl prints this before the URL of a redirect.
    private static let redirectMark = "redirect_url="

    let url: HTTPAddress
    let headers: [(name: String, value: String)]
    let timeout: Duration
    let lengthMax: Int
    let environment: [String]

    func result() async throws -> Result {
        let errors = Mutex<[UInt8]>([])
        var options = CommandRun.Options(complain: { part in errors.withLock { $0 += part } })
        options.leftovers = .killed
        // curl ends by itself and says why. This is for one that does not.
        options.timeout = timeout + .seconds(1)
        options.outputLengthMax = lengthMax
        let run = try await CommandRun([Self.program, "-q", "--config", "-"], environment: environment, options)
            .result(ofInput: Array(configuration.utf8))
        var result = Result(run: run)
        for line in String(decoding: errors.withLock(\.self), as: UTF8.self).split(whereSeparator: \.isNewline) {
            if line.hasPrefix(Self.redirectMark) {
                let url = line.dropFirst(Self.redirectMark.count)
                if !url.isEmpty { result.redirect = String(url) }
            } else if let message = line.wholeMatch(of: #/curl: \(\d+\) (.+)/#) {
                result.complaint = String(message.1)
            } else {
                result.complaint = String(line)
            }
        }
        return result
    }

    /// The file that `curl --config` reads.
    private var configuration: String {
        let seconds = Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
        var lines = [
            "url = \(Self.quoted(url.text))",
            "silent", "show-error", "include", "suppress-connect-headers", "globoff",
            "proto = \"=http,https\"",
            "max-time = \(seconds)",
            "user-agent = \"diffable-feed\"",
            "write-out = \(Self.quoted("%{stderr}\n\(Self.redirectMark)%{redirect_url}\n"))",
        ]
        lines += headers.map { "header = \(Self.quoted("\($0.name): \($0.value)"))" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#).replacing("\n", with: #"\n"#)
            .replacing("\t", with: #"\t"#)
        return "\"\(escaped)\""
    }
}
