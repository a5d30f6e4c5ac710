import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the daemon's status and counters.",
        discussion: """
            Counters start at zero when the daemon starts. --prometheus prints the text format of Prometheus, for a \
            file of the node_exporter's textfile collector. It also counts the feeds of diffable-feed by their state, \
            and prints the lists that --list names.
            """)

    @Flag(help: "Print the daemon's reply as JSON.") var json = false
    @Flag(help: "Print Prometheus's text format.") var prometheus = false
    @Option(
        help: ArgumentHelp("With --prometheus: print this list's figures. Can be repeated.", valueName: "list"),
        completion: .lists, transform: listName)
    var list: [ListName] = []
    @Option(
        help: ArgumentHelp(
            "With --prometheus: the list with the status of the feeds. Default: feeds.", valueName: "list"),
        completion: .lists, transform: listName)
    var feeds: ListName?
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if json, prometheus { throw ValidationError("--json and --prometheus are two output formats; use one of them") }
        if !prometheus, !list.isEmpty || feeds != nil {
            throw ValidationError("--list and --feeds can be used only with --prometheus")
        }
    }

    func run() async throws {
        let path = try daemon.path()
        let (feeds, named) = (feeds ?? "feeds", list)
        let (status, figures) = try await daemon.withReadOnlyConnection { connection in
            let status = Content(try await connection.statusJSON())
            return (status, prometheus ? try await Self.figures(over: connection, feeds, named) : nil)
        }
        var output = StandardOutput()
        if json {
            output.json(status.bytes)
        } else if let figures {
            let lines = prometheusLines(of: JSONReader(status)) + figures.text
            for line in lines { output.line(line) }
        } else {
            output.line("socket: \(path)")
            for member in JSONReader(status).members { output.line("\(member.name): \(member.value.plainText)") }
        }
        output.flush()
    }

    private static func figures(
        over connection: Connection, _ feeds: ListName, _ named: [ListName]
    ) async throws -> ListFigures {
        let summaries = try await connection.lists()
        var listOfFeeds: Snapshot?
        if summaries.contains(where: { $0.list == feeds }) {
            // Nil if the list was deleted since, or the user has no right to read it.
            listOfFeeds = try? await connection.state(of: feeds).snapshot
        }
        return ListFigures(named, among: summaries, listOfFeeds: listOfFeeds)
    }
}
