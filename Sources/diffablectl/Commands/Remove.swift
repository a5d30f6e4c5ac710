import ArgumentParser
import Diffable

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete items; their children go along.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: ArgumentHelp("The items.", valueName: "id"), transform: itemID) var ids: [ItemID] = []
    @Flag(help: "Pass over items that the list does not have.") var ifPresent = false
    @Flag(help: "Delete all items and all sections.") var all = false
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard all == ids.isEmpty else { throw ValidationError("name the items to delete, or use --all") }
    }

    func run() async throws {
        let operation: Operation =
            all ? .deleteAllItems : .deleteItems(ids, ifPresent ? .isPassedOver : .isError)
        try await options.transact(list, [operation])
    }
}
