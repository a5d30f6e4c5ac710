import ArgumentParser
import Diffable
import DiffableJSON

struct Transact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send operations as one transaction: all or none.",
        discussion: """
            The input is a JSON array of operations, or one operation on each line, as docs/protocol.md has them.
              echo '{"op":"moveItem","item":"milk","after":null,"section":"today"}' | diffablectl transact tasks
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "What to read; - or nothing is standard input.") var file: String?
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        try await options.transact(list, OperationsInput.operations(in: try inputBytes(of: file)))
    }
}
