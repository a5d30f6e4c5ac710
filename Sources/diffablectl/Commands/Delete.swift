import ArgumentParser
import Diffable
import DiffableClient

struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Delete a list and all that is in it.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        try await daemon.withConnection { try await $0.deleteList(list) }
    }
}
