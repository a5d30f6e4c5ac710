import ArgumentParser
import Diffable
import DiffableFeed
import DiffableInput
import Glibc

/// The settings of a feed on the command line.
struct FeedOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run the command again after this time: 500ms, 2s, 5m or 1h. Default without --on and --stream: 2s.",
            valueName: "time"))
    var every: Time?
    @Option(help: ArgumentHelp("Run the command again when this file or directory changes.", valueName: "path"))
    var on: [String] = []
    @Option(
        help: ArgumentHelp(
            "For a command that does not end: each line is an item (ndjson) or the whole list (states).",
            valueName: "kind"))
    var stream: Stream?
    @Option(help: ArgumentHelp("End a run after this time. Default: 60s.", valueName: "time"))
    var timeout: Time?
    @Option(help: "How to read the output: json, ndjson, csv, tsv, columns, lines or tree.") var from: Format?
    @Option(
        help: ArgumentHelp(
            "The field that identifies a row. With --from lines: number or hash, if lines can repeat.",
            valueName: "field"))
    var id: Path?
    @Option(help: ArgumentHelp("The field with a row's section.", valueName: "field")) var section: Path?
    @Option(help: ArgumentHelp("The field with the id of a row's parent.", valueName: "field")) var parent: Path?
    @Option(help: ArgumentHelp("The only field to keep; it becomes the item's text.", valueName: "field")) var text:
        Path?
    @Option(help: ArgumentHelp("The member of a JSON object that contains the rows.", valueName: "field")) var rows:
        Path?
    @Option(help: "How to treat rows whose parent does not exist: refuse, or top (put them at the top level).")
    var orphans: Orphans?
    @Option(help: ArgumentHelp("The names of the columns, if there is no header line.", valueName: "a,b,c"))
    var columns: String?
    @Option(help: ArgumentHelp("The columns that are numbers.", valueName: "a,b,c")) var numbers: String?
    @Option(help: ArgumentHelp("The access mode of a list that the feed creates, such as 0600.", valueName: "mode"))
    var mode: String?

    @Flag(help: "Create the list in memory only, which avoids frequent disk writes.") var volatile = false

    @Flag(help: "Use a list of another user, and overwrite items that no feed has put in the list.") var adopt = false

    @Flag(help: "Empty the list if the command prints nothing.") var allowEmpty = false
    @Option(
        help: ArgumentHelp(
            "Change nothing if more items than this would be deleted: a number, or a share of the items such as 20%.",
            valueName: "number"))
    var maxDelete: Deletions?

    func validate() throws { _ = try accessMode() }

    private func accessMode() throws -> AccessMode? {
        do { return try mode.map { try AccessMode(octal: $0) } } catch { throw ValidationError("\(error)") }
    }

    var firstUsed: String? {
        let used: [(String, Bool)] = [
            ("--every", every != nil), ("--on", !on.isEmpty), ("--stream", stream != nil),
            ("--timeout", timeout != nil),
            ("--from", from != nil), ("--id", id != nil), ("--section", section != nil), ("--parent", parent != nil),
            ("--text", text != nil), ("--rows", rows != nil), ("--orphans", orphans != nil),
            ("--columns", columns != nil), ("--numbers", numbers != nil), ("--mode", mode != nil),
            ("--volatile", volatile), ("--adopt", adopt), ("--allow-empty", allowEmpty),
            ("--max-delete", maxDelete != nil),
        ]
        return used.first { $0.1 }?.0
    }

    func feed(_ list: ListName, _ command: [String]) throws -> FeedSettings {
        var settings = CommandSettings(words: command)
        settings.stream = stream?.value
        settings.every = every?.duration
        settings.timeout = timeout?.duration ?? settings.timeout
        if stream != nil, every != nil || !on.isEmpty || timeout != nil {
            throw ValidationError(
                "--every, --on and --timeout cannot be combined with --stream, whose command does not end")
        }
        if let every, every.duration < CommandSettings.everyMin {
            throw ValidationError("--every must be at least 100ms")
        }
        for path in on {
            let path = FeedPath.absolute(path, home: nil) ?? workingDirectory() + "/" + path
            if let objection = WatchedPath.objection(to: path) {
                throw ValidationError("\(path) \(objection): use --every instead")
            }
            settings.on.append(path)
        }
        if stream == nil, every == nil, on.isEmpty { settings.every = .seconds(2) }
        var feed = FeedSettings(list: list, source: .command(settings))
        feed.names = .options
        feed.adopts = adopt
        if stream?.value == .ndjson, allowEmpty || maxDelete != nil {
            throw ValidationError(
                "--allow-empty and --max-delete cannot be combined with --stream ndjson, which deletes nothing")
        }
        if allowEmpty { feed.allowsEmpty = true }
        feed.maxDelete = maxDelete?.limit
        feed.mode = try accessMode()
        if volatile { feed.durability = .volatile }
        feed.rows.from = from?.value
        feed.rows.set(.init(id: id?.value, section: section?.value, parent: parent?.value, text: text?.value))
        feed.rows.rows = rows?.value
        if let orphans { feed.rows.orphans = orphans.value }
        feed.rows.columns = columns?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        feed.rows.numbers = numbers
        do { try feed.checkRows() } catch { throw ValidationError("\(error)") }
        return feed
    }

    private func workingDirectory() -> String {
        guard let directory = getcwd(nil, 0) else { return "" }
        defer { free(directory) }
        let path = String(cString: directory)
        return path == "/" ? "" : path
    }
}

// MARK: - What options say

extension FeedOptions {
    struct Time: ExpressibleByArgument {
        let duration: Duration

        init?(argument: String) {
            guard let time = TimeSpan(argument)?.duration, time > .zero else { return nil }
            duration = time
        }
    }

    struct Deletions: ExpressibleByArgument {
        let limit: DeletionLimit

        init?(argument: String) {
            guard let limit = DeletionLimit(argument: argument) else { return nil }
            self.limit = limit
        }
    }

    struct Path: ExpressibleByArgument {
        let value: FieldPath

        init?(argument: String) {
            guard let path = FieldPath(ofRow: argument) else { return nil }
            value = path
        }
    }

    struct Format: ExpressibleByArgument {
        let value: InputFormat

        init?(argument: String) {
            guard let format = InputFormat(named: argument) else { return nil }
            value = format
        }

        static var allValueStrings: [String] { InputFormat.allCases.map(\.rawValue) }
    }

    struct Orphans: ExpressibleByArgument {
        let value: OrphanRule

        init?(argument: String) {
            guard let value = OrphanRule(rawValue: argument) else { return nil }
            self.value = value
        }

        static var allValueStrings: [String] { OrphanRule.allCases.map(\.rawValue) }
    }

    struct Stream: ExpressibleByArgument {
        let value: CommandSettings.Stream

        init?(argument: String) {
            guard let stream = CommandSettings.Stream(rawValue: argument) else { return nil }
            value = stream
        }

        static var allValueStrings: [String] { CommandSettings.Stream.allCases.map(\.rawValue) }
    }
}
