import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the daemon's status and counters.",
        discussion: """
            Counters start at zero when the daemon starts. --prometheus prints the text format of Prometheus, for a \
            file of the node_exporter's textfile collector.
            """)

    @Flag(help: "Print the daemon's reply as JSON.") var json = false
    @Flag(help: "Print Prometheus's text format.") var prometheus = false
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if json, prometheus { throw ValidationError("--json and --prometheus are two output formats; use one of them") }
    }

    func run() async throws {
        let path = try daemon.path()
        let status = Content(try await daemon.reading { try await $0.statusJSON() })
        var output = StandardOutput()
        if json {
            output.json(status.bytes)
        } else if prometheus {
            for line in prometheusLines(of: JSONView(status)) { output.line(line) }
        } else {
            output.line("socket: \(path)")
            for member in JSONView(status).members { output.line("\(member.name): \(member.value.plainText)") }
        }
        output.flush()
    }
}
