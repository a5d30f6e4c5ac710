import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Expand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Expand items, or with --ask load their children from the list's handler.",
        discussion: """
            The list stores which items are expanded, so all followers see it. With --ask, no item is expanded. \
            Instead, the command asks the handler for the children of an item that has none, as a viewer does when you \
            open the item, and waits until they are in the list. If no handler loads children, or the item has some \
            already, nothing happens.
            """)

    @OptionGroup var items: ItemsArguments
    @Flag(help: "Load their children from the list's handler, and expand nothing.") var ask = false
    @OptionGroup var answer: AnswerOptions
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if answer.timeout != nil, !ask {
            throw ValidationError("--timeout can be used only with --ask, which waits for the handler")
        }
        if ask, options.ifRevision != nil || options.requestKey != nil || options.retry != nil {
            throw ValidationError(
                "--if-revision, --request-key and --retry cannot be combined with --ask, which changes nothing: leave them out"
            )
        }
    }

    func run() async throws {
        guard ask else { return try await options.transact(items.list, [.expandItems(items.ids)]) }
        try await options.daemon.withConnection { connection in
            for item in items.ids {
                try await connection.expand(items.list, item, timeout: answer.timeout?.duration)
            }
        }
    }
}

struct Collapse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Collapse items.")

    @OptionGroup var items: ItemsArguments
    @OptionGroup var options: ChangeOptions

    func run() async throws { try await options.transact(items.list, [.collapseItems(items.ids)]) }
}

struct ItemsArguments: ParsableArguments {
    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: ArgumentHelp("The items.", valueName: "id"), completion: .items, transform: itemID) var ids:
        [ItemID]
}
