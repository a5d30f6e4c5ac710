import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rename a list.",
        discussion: """
            The list keeps its history, its owner and its mode. If the mode was never set, it becomes the one that the \
            configuration has for the new name. Followers of the list are notified that it was deleted. Clients that \
            wait for a list of the new name receive it.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The new name.", transform: listName) var name: ListName
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if name == list { throw ValidationError("the list is already named \(list)") }
    }

    func run() async throws {
        try await daemon.withConnection { connection in
            do { try await connection.renameList(list, to: name) } catch ClientError.refused(let refusal)
                where refusal.code == .listExists
            {
                throw CommandError(
                    .conflict,
                    "there is already a list \(quoted(name)), and nothing was renamed; choose another name, or rename that list "
                        + "first")
            }
        }
    }
}
