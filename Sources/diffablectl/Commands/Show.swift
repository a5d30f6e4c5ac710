import ArgumentParser
import Diffable
import DiffableClient

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a list.",
        discussion: """
            Parents are marked: ▾ is expanded, ▸ is collapsed. All items are printed, whichever it is, unless the options \
            say otherwise.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Flag(help: "The snapshot as JSON, in canonical form: what a publisher would have to apply.") var json = false
    @OptionGroup(title: "What is shown") var view: ViewOptions
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let options = try view.options()
        try await daemon.withConnection { connection in
            if json {
                var output = StandardOutput()
                output.append(try await connection.snapshotJSON(of: list, options))
                output.line("")
                output.flush()
            } else {
                let progress = ProgressLine("received", "items")
                let state = try await connection.state(of: list, options) { progress.show($0) }
                progress.end()
                if state.snapshot.isEmpty {
                    say(options.view == nil ? "\(list) is empty" : "nothing of \(list) is there to be shown")
                }
                var outline = OutlineWriter(.standardOutput)
                outline.draw(state.snapshot)
            }
        }
    }
}
