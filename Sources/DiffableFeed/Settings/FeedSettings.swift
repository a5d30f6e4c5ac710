import Diffable
import DiffableInput

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
