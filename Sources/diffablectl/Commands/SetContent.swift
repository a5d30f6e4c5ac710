import ArgumentParser
import Diffable

struct SetContent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Replace an item's content, and with --kind its kind.",
        discussion: "The content null takes it away. To change a part of it, use patch.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The item.", transform: itemID) var id: ItemID
    @Argument(help: "JSON, or key=value pairs.") var content: [String]
    @Option(help: ArgumentHelp("Which registration draws it from now on.", valueName: "kind"), transform: kindName)
    var kind: Kind?
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        let content = try ContentArguments.content(of: content)
        if let kind {
            try await options.transact(list, [.reloadItems([ItemReload(id: id, kind: kind, content: .some(content))])])
        } else {
            try await options.transact(
                list, [.reconfigureItems([ItemReconfiguration(id: id, content: .some(content))])])
        }
    }
}
