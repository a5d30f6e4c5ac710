import ArgumentParser
import Diffable

struct ReloadItems: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask clients to make items anew, as if their kind had changed.")

    @Argument(help: "The list.", transform: listName) var list: ListName
    @Argument(help: ArgumentHelp("The items.", valueName: "id"), transform: itemID) var ids: [ItemID]
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        try await options.transact(list, [.reloadItems(ids.map { ItemReload(id: $0) })])
    }
}
