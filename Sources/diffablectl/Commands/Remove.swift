import ArgumentParser
import Diffable

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete items; their children go along.",
        discussion: """
            With --where, all items that meet the condition are deleted in one transaction, and how many they are is said.
              diffablectl rm tasks --where done=true
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: ArgumentHelp("The items.", valueName: "id"), completion: .items, transform: itemID) var ids:
        [ItemID] = []
    @Flag(help: "Pass over items that the list does not have.") var ifPresent = false
    @Flag(help: "Delete all items and all sections.") var all = false
    @OptionGroup var matching: ConditionOptions
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if !ids.isEmpty, !matching.isEmpty {
            throw ValidationError("name the items to delete or say which with --where, not both")
        }
        guard [all, !ids.isEmpty, !matching.isEmpty].count(where: { $0 }) == 1 else {
            throw ValidationError("name the items to delete, or say which with --where, or use --all")
        }
    }

    func run() async throws {
        if !matching.isEmpty {
            return try await options.transact(list, where: matching, "deleted") { items in
                // An item may be a descendant of another one.
                [.deleteItems(items.map(\.id), .isPassedOver)]
            }
        }
        let operation: ListOperation =
            all ? .deleteAllItems : .deleteItems(ids, ifPresent ? .isPassedOver : .isError)
        try await options.transact(list, [operation])
    }
}
