import ArgumentParser
import Diffable
import DiffableClient

struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a list that has what another one has.",
        discussion: """
            The copy is of one moment. It has the durability and the mode of the other list, a past of its own, and belongs to \
            who makes it. Who waits for it sees an empty list first, and then all of it at once.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The new list's name.", transform: listName) var copy: ListName
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        try await daemon.withConnection { connection in
            _ = try await ListCopy(source: list, copy: copy).make(over: connection)
        }
    }
}
