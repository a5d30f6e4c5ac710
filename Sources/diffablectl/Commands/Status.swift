import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say how the daemon is doing.",
        discussion: """
            Numbers are since it started. --prometheus writes the text that Prometheus reads, for a file of the \
            node_exporter's textfile collector.
            """)

    @Flag(help: "The daemon's answer as JSON.") var json = false
    @Flag(help: "In Prometheus's text format.") var prometheus = false
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if json, prometheus { throw ValidationError("--json and --prometheus exclude each other") }
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
