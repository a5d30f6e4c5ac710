import ArgumentParser
import Diffable
import DiffableClient

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a list.",
        discussion: "Parents are marked: ▾ is expanded, ▸ is collapsed. All items are printed, whichever it is.")

    @Argument(help: "The list.", transform: listName) var list: ListName
    @Flag(help: "The snapshot as JSON, in canonical form: what a publisher would have to apply.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        try await daemon.withConnection { connection in
            if json {
                var output = StandardOutput()
                output.append(try await connection.snapshotJSON(of: list))
                output.line("")
                output.flush()
            } else {
                let progress = ProgressLine("received", "items")
                let state = try await connection.state(of: list) { progress.show($0) }
                progress.end()
                if state.snapshot.isEmpty { say("\(list) is empty") }
                var outline = OutlineWriter(.standardOutput)
                outline.draw(state.snapshot)
            }
        }
    }
}
