import Diffable
import DiffableInput
import Glibc

/// What the file says of one feed: a list, where its rows come from, and what is made of them.
package struct FeedSettings: Equatable, Sendable {
    package var list: ListName
    package var source: SourceSettings
    package var rows = RowMapping()
    /// Members that each item's content gets that has none of that name: an object.
    package var constants: [Constant] = []
    /// The list's own content (docs/appearance.md); nil leaves that to others.
    package var look: Content?
    /// Who may see and change the list. Nil: a list that the feed makes is for its own user alone, and one that is there stays
    /// as it is.
    package var mode: AccessMode?
    package var durability = Durability.durable
    /// Whether it may take a list that somebody else has filled.
    package var adopts = false
    /// Whether a state without items may empty the list. Nil: the source's default (`mayBeEmpty`).
    package var allowsEmpty: Bool?
    /// How many items a new state may delete; nil for any number.
    package var maxDelete: DeletionLimit?
    /// Where it was said, for messages.
    package var wording = FeedWording.keys

    package init(list: ListName, source: SourceSettings) {
        self.list = list
        self.source = source
    }

    /// Throws for what contradicts itself, before anything is read.
    package func checkRows() throws(InputError) {
        var rows = rows
        if case .command(let command) = source, let stream = command.stream {
            if stream == .states, let from = rows.from, from != .json {
                throw InputError(
                    "each line of a stream of states is a list as JSON, and --from \(from.rawValue) is none")
            }
            rows.from = rows.from ?? stream.usualFormat
        }
        try rows.check()
    }

    /// All constants as one object.
    package var constantContent: Content { .object(constants.map { ($0.name, $0.value) }) }

    /// A member of every item's content.
    package struct Constant: Equatable, Sendable {
        package var name: String
        package var value: Content

        package init(name: String, value: Content) {
            self.name = name
            self.value = value
        }
    }
}

/// Where the rows of a feed come from.
package enum SourceSettings: Equatable, Sendable {
    case command(CommandSettings)
    case sqlite(DatabaseSettings)
    case directory(DirectorySettings)
    case systemd(UnitSettings)

    /// What the list `feeds` calls it.
    package var sort: String {
        switch self {
        case .command: "command"
        case .sqlite: "sqlite"
        case .directory: "directory"
        case .systemd: "systemd"
        }
    }

    /// Whether it brings rows, of which a mapping makes items.
    var bringsRows: Bool {
        switch self {
        case .command, .sqlite: true
        case .directory, .systemd: false
        }
    }

    /// Whether a state without items is a usual answer. From a command it mostly means that a program failed.
    var mayBeEmpty: Bool {
        switch self {
        case .command: false
        case .sqlite, .directory, .systemd: true
        }
    }

    /// How its list is drawn where nobody says anything else: a list's content.
    var usualLook: Content? {
        switch self {
        case .command, .sqlite, .systemd: nil
        case .directory(let settings): settings.usualLook
        }
    }
}

/// A query of an SQLite database.
package struct DatabaseSettings: Equatable, Sendable {
    /// Absolute.
    package var path: String
    package var query: String
    /// The columns whose text is JSON.
    package var jsonColumns: [String] = []
    /// How often it is looked at where the kernel does not report changes; nil: only after changes.
    package var every: Duration?
    /// After which a query is ended.
    package var timeout = CommandSettings.timeoutUsual

    package init(path: String, query: String) {
        self.path = path
        self.query = query
    }
}

/// A command whose output is the list.
package struct CommandSettings: Equatable, Sendable {
    package var words: [String]
    /// Whether a shell runs a line.
    package var isShell = false
    /// Nil: each run brings the whole list and ends.
    package var stream: Stream?
    /// From the beginning of one run to that of the next; nil: only files that change let it run again.
    package var every: Duration?
    /// Absolute paths whose changes let it run again.
    package var on: [String] = []
    /// After which it is ended. A stream has none.
    package var timeout = CommandSettings.timeoutUsual

    package static let timeoutUsual = Duration.seconds(60)
    /// Shorter ones would only use up the processor.
    package static let everyMin = Duration.milliseconds(100)

    package init(words: [String]) { self.words = words }

    /// Runs a line in a shell. A pipe in it fails when any of its programs fails, if the shell has `pipefail`; dash of Debian 12 has
    /// not.
    ///
    /// - Parameter bash: the path at which bash is preferred.
    package init(line: String, bash: String = "/bin/bash") {
        let isBash = access(bash, X_OK) == 0
        words =
            isBash
            ? [bash, "-o", "pipefail", "-c", line]
            : ["/bin/sh", "-c", "if (set -o pipefail) 2>/dev/null; then set -o pipefail; fi\n" + line]
        isShell = true
    }

    package enum Stream: String, CaseIterable, Sendable {
        /// Each line is an item, which is added or changed.
        case ndjson
        /// Each line is the whole list.
        case states

        /// How a line is read if nobody says so.
        var usualFormat: InputFormat { self == .ndjson ? .ndjson : .json }
    }
}
