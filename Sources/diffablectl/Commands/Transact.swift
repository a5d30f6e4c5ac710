import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON

struct Transact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send operations as one transaction: all or none.",
        discussion: """
            The input is a JSON array of operations, or one operation on each line, as docs/protocol.md has them.
              echo '{"op":"moveItem","item":"milk","after":null,"section":"today"}' | diffablectl transact tasks

            With --propose the list's handler for proposals is asked first, if there is one: it may consent, refuse it \
            (status 8), or have something else applied. Its consent is the right to it: a mode's x is enough then.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "What to read; - or nothing is standard input.") var file: String?
    @Flag(help: "Ask the list's handler first, which may refuse it or have something else applied.") var propose = false
    @OptionGroup var answer: AnswerOptions
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if answer.timeout != nil, !propose {
            throw ValidationError("--timeout is for the handler's answer, which only --propose waits for")
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
