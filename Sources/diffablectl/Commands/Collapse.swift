import ArgumentParser
import Diffable

struct Collapse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Hide items' children.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: ArgumentHelp("The items.", valueName: "id"), transform: itemID) var ids: [ItemID]
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        try await options.transact(list, [.collapseItems(ids)])
    }
}
