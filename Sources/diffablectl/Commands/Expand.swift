import ArgumentParser
import Diffable

struct Expand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show items' children.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: ArgumentHelp("The items.", valueName: "id"), transform: itemID) var ids: [ItemID]
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        try await options.transact(list, [.expandItems(ids)])
    }
}
