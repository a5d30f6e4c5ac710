import ArgumentParser
import Diffable
import DiffableClient

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Say how the daemon is doing.")

    @Flag(help: "The daemon's answer as JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let status = Content(try await daemon.withConnection { try await $0.statusJSON() })
        var output = StandardOutput()
        if json {
            output.line(status.description)
        } else {
            for member in JSONView(status).members { output.line("\(member.name): \(member.value.plainText)") }
        }
        output.flush()
    }
}
