import ArgumentParser
import Diffable
import DiffableClient

struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a list to a new one.",
        discussion: """
            The copy has the contents of one revision, and the durability and mode of the original. It has a history of \
            its own, and you own it. A client that waits for the new list sees an empty list first, and then all items \
            at once.
            """)

    @Argument(help: "The list to copy.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The new list's name.", transform: listName) var copy: ListName
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        try await daemon.withConnection { connection in
            _ = try await ListCopy(source: list, copy: copy).make(over: connection)
        }
    }
}
