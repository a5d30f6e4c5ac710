import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Expand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show items' children, or with --ask have the list's handler bring them.",
        discussion: """
            What is expanded is a part of the list, for all who follow it. --ask changes nothing of that: an item that has \
            no children gets them from the handler, as when a viewer opens it; the command waits until they are there. \
            Where nobody answers for that, and where there are children, nothing happens.
            """)

    @OptionGroup var items: ItemsArguments
    @Flag(help: "Ask the list's handler for their children, and expand nothing.") var ask = false
    @OptionGroup var answer: AnswerOptions
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if answer.timeout != nil, !ask {
            throw ValidationError("--timeout is for the handler's answer, which only --ask waits for")
        }
        if ask, options.ifRevision != nil || options.requestKey != nil || options.retry != nil {
            throw ValidationError("--if-revision, --request-key and --retry are for a change; --ask makes none")
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
    static let configuration = CommandConfiguration(abstract: "Hide items' children.")

    @OptionGroup var items: ItemsArguments
    @OptionGroup var options: ChangeOptions

    func run() async throws { try await options.transact(items.list, [.collapseItems(items.ids)]) }
}

/// Some items of a list, by their ids.
struct ItemsArguments: ParsableArguments {
    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: ArgumentHelp("The items.", valueName: "id"), completion: .items, transform: itemID) var ids:
        [ItemID]
}
