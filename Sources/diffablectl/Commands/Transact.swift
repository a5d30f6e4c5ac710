import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON

struct Transact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Apply operations as one transaction: all or none.",
        discussion: """
            The input is a JSON array of operations, or one operation on each line, as described in docs/protocol-operations.md.
              echo '{"op":"moveItem","item":"milk","after":null,"section":"today"}' |
                diffablectl transact tasks

            With --propose, the list's handler for proposals decides first, if there is one. It can accept the change, \
            refuse it (status 8), or replace it with other operations. Its consent is enough: you need only the \
            permission x of the list's mode.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The file to read. Default: - (standard input).") var file: String?
    @Flag(help: "Ask the list's handler first. It can refuse the change or replace it.") var propose = false
    @OptionGroup var answer: AnswerOptions
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if answer.timeout != nil, !propose {
            throw ValidationError("--timeout can be used only with --propose, which waits for the handler")
        }
    }

    func run() async throws {
        let bytes = try await inputBytes(of: file, "operations on \(list)", within: options.daemon.inputLimit)
        let operations = try OperationsInput.operations(in: bytes)
        guard propose else { return try await options.transact(list, operations) }
        try await options.change { connection, key in
            try await connection.propose(
                list, operations, ifRevision: options.ifRevision, requestKey: key, timeout: answer.timeout?.duration)
        }
    }
}
