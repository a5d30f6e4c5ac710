import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give a list another name.",
        discussion: """
            Its past, its owner and its mode go along, unless the mode was never set: then it is what the configuration \
            says for lists of the new name. Who follows the list hears that it was deleted, and who waits for one of the new \
            name sees it come.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The new name.", transform: listName) var name: ListName
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if name == list { throw ValidationError("\(list) is the name that it has: give another one") }
    }

    func run() async throws {
        try await daemon.withConnection { connection in
            do { try await connection.renameList(list, to: name) } catch ClientError.refused(let refusal)
                where refusal.name == "listExists"
            {
                throw CommandError(
                    .conflict, "there is a list \(quoted(name)) already; rename that one first, or choose another name")
            }
        }
    }
}
