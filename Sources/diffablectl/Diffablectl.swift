import ArgumentParser
import DiffableProtocol

/// The companion: lists, changes and watches what a `diffabled` daemon keeps.
@main
struct Diffablectl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diffablectl",
        abstract: "See and change the lists that diffabled keeps.",
        discussion: """
            The daemon is found by --socket, $DIFFABLED_SOCKET, the user's own socket \
            ($XDG_RUNTIME_DIR/diffabled/diffabled.sock) or the system's (/run/diffabled/diffabled.sock), in this order.

            CONTENT is JSON, or pairs: key=value is a string, key:=value is JSON.
              diffablectl append tasks milk text="Buy milk" done:=false
              diffablectl set tasks milk '{"text":"Buy oat milk"}'

            Exit status:
            \(ExitStatus.table)
            """,
        version: Version.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Lists",
                subcommands: [Lists.self, Create.self, Delete.self, Show.self, Watch.self, Apply.self]),
            CommandGroup(name: "Who may what", subcommands: [ChangeMode.self, ChangeOwner.self]),
            CommandGroup(
                name: "Items",
                subcommands: [
                    Append.self, Insert.self, SetContent.self, Patch.self, Move.self, Remove.self,
                    Expand.self, Collapse.self,
                ]),
            CommandGroup(name: "The past", subcommands: [Log.self, Diff.self, Undo.self]),
            CommandGroup(name: "Sections and operations", subcommands: [SectionCommand.self, Transact.self]),
            CommandGroup(
                name: "The daemon",
                subcommands: [Status.self, Clients.self, Top.self, Reload.self, Backup.self, Restore.self]),
        ])

    static func main() async {
        do {
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }
}
