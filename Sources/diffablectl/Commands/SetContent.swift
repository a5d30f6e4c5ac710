import ArgumentParser
import Diffable

struct SetContent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Replace an item's content, and with --kind its kind, or the list's own content.",
        discussion: """
            The content null takes it away. To change a part of it, use patch. With --where all items that meet the \
            condition get the content, in one transaction, and how many they are is said. With --list the list itself gets it.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @OptionGroup var arguments: TargetArguments
    @Option(help: ArgumentHelp("Which registration draws it from now on.", valueName: "kind"), transform: kindName)
    var kind: Kind?
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        _ = try ContentArguments.content(of: arguments.words)
        if kind != nil, arguments.isOfList { throw ValidationError("--kind is an item's; a list has none") }
    }

    func run() async throws {
        let content = try ContentArguments.content(of: arguments.words)
        switch try arguments.target() {
        case .list: try await options.transact(list, [.reconfigureList(content)])
        case .item(let id): try await options.transact(list, [operation([id], content)])
        case .all(let conditions):
            try await options.transact(list, where: conditions, "set") { [operation($0.map(\.id), content)] }
        }
    }

    private func operation(_ ids: [ItemID], _ content: Content?) -> ListOperation {
        if let kind { return .reloadItems(ids.map { ItemReload(id: $0, kind: kind, content: .some(content)) }) }
        return .reconfigureItems(ids.map { ItemReconfiguration(id: $0, content: .some(content)) })
    }
}
