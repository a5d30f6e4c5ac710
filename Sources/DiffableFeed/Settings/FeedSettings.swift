import Diffable
import DiffableInput
import Glibc

package struct FeedSettings: Equatable, Sendable {
    package var list: ListName
    package var source: SourceSettings
    package var rows = RowMapping()
    /// Members that are added to each item's content unless it has a member of that name.
    package var constants: [Constant] = []
    /// The list's own content (docs/appearance.md); nil leaves it to others.
    package var look: Content?
    /// The list's access mode. If it is nil, a list that the feed creates is for its owner only, and an existing list keeps its
    /// mode.
    package var mode: AccessMode?
    package var durability = Durability.durable
    /// Whether the feed may use another user's list, and overwrite items that no feed added.
    package var adopts = false
    /// Whether a state without items may empty the list. Nil: the source's default (`mayBeEmpty`).
    package var allowsEmpty: Bool?
    /// The number of items that a new state may delete; nil for any number.
    package var maxDelete: DeletionLimit?
    package var names = SettingNames.keys

    package init(list: ListName, source: SourceSettings) {
        self.list = list
        self.source = source
    }

    package func checkRows() throws(InputError) {
        var rows = rows
        if case .command(let command) = source, let stream = command.stream {
            if stream == .states, let from = rows.from, from != .json {
                throw InputError(
                    "each line of a stream of states (stream: states) must be a whole list as JSON, so \(.from, from.rawValue) "
                        + "cannot be used; leave it out")
            }
            rows.from = rows.from ?? stream.usualFormat
            if rows.lineIDs == .number {
                throw InputError(
                    "a stream has no first line that its numbers could count from (\(.id, "number")); use "
                        + "\(.id, "hash")")
            }
        }
        if case .url = source { rows.from = rows.from ?? .json }
        try rows.check()
    }

    package var constantContent: Content { .object(constants.map { ($0.name, $0.value) }) }

    package struct Constant: Equatable, Sendable {
        package var name: String
        package var value: Content

        package init(name: String, value: Content) {
            self.name = name
            self.value = value
        }
    }
}

package enum SourceSettings: Equatable, Sendable {
    case command(CommandSettings)
    case sqlite(DatabaseSettings)
    case url(HTTPSettings)
    case directory(DirectorySettings)
    case systemd(UnitSettings)

    package var kind: String {
        switch self {
        case .command: "command"
        case .sqlite: "sqlite"
        case .url: "url"
        case .directory: "directory"
        case .systemd: "systemd"
        }
    }

    /// Whether the source delivers rows, which a mapping turns into items.
    var bringsRows: Bool {
        switch self {
        case .command, .sqlite, .url: true
        case .directory, .systemd: false
        }
    }

    /// Whether an empty state is a normal result. An empty output usually means that a command failed.
    var mayBeEmpty: Bool {
        switch self {
        case .command: false
        case .sqlite, .url, .directory, .systemd: true
        }
    }

    var usualLook: Content? {
        switch self {
        case .command, .sqlite, .url: nil
        case .directory(let settings): settings.usualLook
        case .systemd(let settings): settings.usualLook
        }
    }
}

package struct DatabaseSettings: Equatable, Sendable {
    /// An absolute path.
    package var path: String
    package var query: String
    package var jsonColumns: [String] = []
    /// Whether a copy is read, because another program keeps the database locked.
    package var isCopied = false
    /// The interval at which the files are checked if the kernel does not report changes; nil: only after changes.
    package var every: Duration?
    package var timeout = CommandSettings.timeoutUsual

    package init(path: String, query: String) {
        self.path = path
        self.query = query
    }
}

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
    /// A shorter interval would only waste CPU time.
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

extension FeedSettings {
    /// Checks that the program of the source can be run.
    package func checkProgram() throws(FeedError) {
        let program: String
        switch source {
        case .command(let command): program = command.words[0]
        case .url: program = Curl.program
        case .sqlite, .directory, .systemd: return
        }
        do { try ChildProcess.check(program) } catch { throw FeedError(error) }
    }
}
