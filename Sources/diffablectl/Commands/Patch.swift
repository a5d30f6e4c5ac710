import ArgumentParser
import Diffable

struct Patch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change members of an item's content.",
        discussion: """
            The patch is a JSON merge patch (RFC 7396): members replace those of the content, key:=null takes one away, \
            and what is not named stays.
              diffablectl patch tasks milk done:=true note:=null
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The item.", transform: itemID) var id: ItemID
    @Argument(help: ArgumentHelp("JSON, or key=value pairs.", valueName: "content")) var patch: [String]
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        let item = Content.object([
            ("id", .string("\(id)".utf8)), ("content", try ContentArguments.patch(of: patch)),
        ])
        let operation = Content.object([("op", .string("patchItems".utf8)), ("items", .array([item]))])
        try await options.transact(list, OperationsInput.text(Content.array([operation]).bytes))
    }
}
