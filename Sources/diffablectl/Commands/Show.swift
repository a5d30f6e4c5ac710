import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a list.",
        discussion: """
            All items are printed, even those below collapsed ones, unless an option selects some. The formats are:
              outline          the tree; ▾ marks an expanded parent, ▸ a collapsed one
              table, tsv, csv  a line for each item, with the columns of --columns;
                               without it, a column for each member that occurs
              ids              only the ids
              jsonl            the whole list, which apply can read again
              json             the daemon's reply, with the revision

            In tsv, \\t, \\n, \\r and \\\\ mean a tab, a line feed, a carriage return and a backslash. jsonl has a \
            line for the list's own content, if there is any, and a line for each section, followed by a line for each \
            of its items with id, parent, kind, expanded and content. With --columns, jsonl has a line for each item, \
            with only these members. Without --columns, table, tsv and csv have columns for the section, the kind and \
            the parent if the list uses them. They do not contain the list's own content. If apply reads csv or tsv \
            again, all values are strings.
              diffablectl show tasks -o jsonl | diffablectl apply copy --create
              diffablectl show procs -o table --columns id,cpu,.owner.name \\
                --where 'cpu>10' --sort -cpu
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: "The output format. Default: outline, or table with --columns.")
    var output: ShowFormat?
    @Option(help: ArgumentHelp("The fields to print; also section and parent.", valueName: "a,b,c")) var columns:
        String?
    @Option(help: ArgumentHelp("Print this revision of the list.", valueName: "revision"), completion: .revisions)
    var at: Int?
    @Flag(help: "Print the snapshot as canonical JSON, which apply can read.") var json = false
    @OptionGroup(title: "Items to show") var view: ViewOptions
    @OptionGroup(title: "For lists shared between hosts") var freshness: FreshnessOptions
    @OptionGroup var daemon: DaemonOptions

    private var format: ShowFormat { output ?? (columns == nil ? .outline : .table) }

    func validate() throws {
        if json, output != nil || columns != nil {
            throw ValidationError(
                "--json prints the whole list in its own format, and cannot be combined with -o or --columns; leave out --json, or "
                    + "these")
        }
        if columns != nil, [.outline, .ids, .json].contains(format) {
            throw ValidationError("--columns can be used only with -o table, tsv, csv or jsonl")
        }
        let titles = try shownColumns()?.map(\.title) ?? []
        if let title = titles.indices.first(where: { titles[..<$0].contains(titles[$0]) }).map({ titles[$0] }) {
            throw ValidationError("--columns names \(title) twice: name it once")
        }
    }

    private func shownColumns() throws -> [ItemColumn]? {
        try columns?.split(separator: ",", omittingEmptySubsequences: false).map {
            try ItemColumn(checking: String($0))
        }
    }

    func run() async throws {
        var options = try view.options()
        options.freshness = freshness.freshness
        let columns = try shownColumns()
        let fields = try view.items.namedFields + (columns ?? []).compactMap(\.namedField)
        try await daemon.withReadOnlyConnection { [options] connection in
            let advice = FieldAdvice(fields, of: list, at: at, over: connection)
            try await checkSections(connection)
            if json || format == .json {
                var output = StandardOutput()
                output.json(
                    json
                        ? try await connection.snapshotJSON(of: list, options, at: at)
                        : try await connection.snapshotReplyJSON(of: list, options, at: at))
                output.flush()
                return await advice.printWarnings(shown: Snapshot())
            }
            let snapshot = try await snapshot(options, connection)
            write(snapshot, columns)
            if snapshot.numberOfItems == 0 { printEmptyHint(snapshot) }
            await advice.printWarnings(shown: snapshot)
        }
    }

    private func write(_ snapshot: Snapshot, _ columns: [ItemColumn]?) {
        switch format {
        case .outline:
            var outline = OutlineWriter(.standardOutput)
            outline.draw(snapshot)
        case .jsonl where columns == nil:
            var output = StandardOutput()
            ListLinesWriter.write(snapshot) { output.json($0.bytes) }
            output.flush()
        default: ItemTable(snapshot, columns: columns).write(as: format)
        }
    }

    /// An empty list is not an error. Users get a hint on standard error, which programs do not need.
    private func printEmptyHint(_ snapshot: Snapshot) {
        if view.limit != nil {
            if Terminal.isReadingErrors {
                printMessage("\(list) has no rows in the range of --limit, --offset and --from")
            }
        } else if !view.items.selectsItems {
            if snapshot.isEmpty { printMessage("\(list) is empty") }
        } else if Terminal.isReadingErrors {
            printMessage("no item of \(list) matches")
        }
    }

    private func checkSections(_ connection: Connection) async throws {
        if view.items.sections.isEmpty { return }
        let known = try await connection.sectionIDs(of: list, at: at, freshness.freshness)
        let missing = view.items.sections.filter { !known.contains($0) }
        let words = missing.map { missing in
            FieldCheck.complaint(
                "the list \(quoted(list)) has no section", missing.description, "--section",
                among: known.map(\.description), of: "list"
            ).description
        }
        if missing.count == view.items.sections.count { throw CommandError(.notFound, words[0]) }
        for words in words { printMessage(words) }
    }

    private func snapshot(_ options: ListOptions, _ connection: Connection) async throws -> Snapshot {
        if let at { return try await connection.state(of: list, at: at, options).snapshot }
        let progress = ProgressLine("received", "items")
        defer { progress.end() }
        return try await connection.state(of: list, options) { progress.show($0) }.snapshot
    }
}
