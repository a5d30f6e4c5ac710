import ArgumentParser
import Diffable
import DiffableClient

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw a list, then print each change as it happens.",
        discussion: """
            Each line begins with the revision: + is new, - is gone, > has moved, ~ looks different, ▾ and ▸ were \
            expanded and collapsed. With --json each line is a notification as the daemon sent it, reset or changes; its \
            operations are in .params.operations. Ends when the list is deleted.
            """)

    @Argument(help: "The list.", transform: listName) var list: ListName
    @Flag(help: "The daemon's notifications, one on each line.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        try await daemon.withConnection { connection in
            if json {
                try await connection.notifications(of: list) { line in
                    // One write for each: a reader in a pipe gets it at once.
                    var output = StandardOutput()
                    output.append(line)
                    output.line("")
                    output.flush()
                }
            } else {
                for try await update in try await connection.subscribe(to: list) { draw(update) }
            }
        }
        say("\(list) was deleted")
    }

    private func draw(_ update: ListUpdate) {
        let terminal = Terminal.standardOutput
        guard update.cause == .changes else {
            var outline = OutlineWriter(terminal)
            return outline.draw(update.snapshot)
        }
        let changes = ChangeLines(update.difference, from: update.previous, to: update.snapshot, on: terminal)
        var output = StandardOutput()
        for line in changes.lines { output.line("\(terminal.styled("\(update.revision)", .dim)) \(line)") }
        output.flush()
    }
}
