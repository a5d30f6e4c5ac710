import Diffable
import DiffableInput
import Glibc

package struct CommandSettings: Equatable, Sendable {
    package var words: [String]
    package var isShell = false
    /// If it is nil, each run prints the whole list and ends.
    package var stream: Stream?
    /// The interval between the starts of two runs; nil: only changed files start a run.
    package var every: Duration?
    /// Absolute paths whose changes start a run.
    package var on: [String] = []
    /// The limit of a run's duration. A stream has none.
    package var timeout = CommandSettings.timeoutUsual

    /// The number of root items in each section that a stream of items keeps, the newest; nil for all.
    package var keep: Int?
    /// The field that is set in a line of a stream of items if that line deletes its item.
    package var remove: FieldPath?

    package static let timeoutUsual = Duration.seconds(60)
    /// The minimal `every`: a shorter interval would only waste CPU time.
    package static let everyMin = Duration.milliseconds(100)

    package init(words: [String]) { self.words = words }

    /// Runs a line in a shell. A pipeline fails if any of its programs fails, if the shell has `pipefail`. The dash of Debian
    /// 12 lacks it. `bash` is the path of bash, which is preferred.
    package init(line: String, bash: String = "/bin/bash") {
        let isBash = access(bash, X_OK) == 0
        words =
            isBash
            ? [bash, "-o", "pipefail", "-c", line]
            : ["/bin/sh", "-c", "if (set -o pipefail) 2>/dev/null; then set -o pipefail; fi\n" + line]
        isShell = true
    }

    package enum Stream: String, CaseIterable, Sendable {
        case ndjson
        case states

        var usualFormat: InputFormat { self == .ndjson ? .ndjson : .json }
    }
}
