import ArgumentParser
import Diffable
import DiffableClient

struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo the newest change of a list. The next undo continues with the change before it.",
        discussion: """
            An undo is a new transaction that restores an earlier state. It undoes the changes of all clients, newest first, and \
            diffablectl log shows which change it undid. diffablectl redo redoes them, unless the list has changed since.
              diffablectl undo tasks -n 2      undo two changes
              diffablectl undo tasks --to 7    restore revision 7
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Option(
        name: .customShort("n", allowingJoined: true),
        help: ArgumentHelp("Undo this number of changes, or none if there are fewer.", valueName: "count"))
    var n: Int?
    @Option(help: ArgumentHelp("Restore this revision.", valueName: "revision"), completion: .revisions) var to: Int?
    @Flag(help: "Show the diff and change nothing.") var dryRun = false
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if n != nil, to != nil {
            throw ValidationError("-n is a number of changes, and --to a revision; use one of them")
        }
        try UndoCommand.check(n)
    }

    func run() async throws {
        let target = to.map { UndoTarget.revision($0) } ?? .back(n ?? 1)
        try await UndoCommand(list: list, target: target, options: options).run(dryRun: dryRun)
    }
}

struct Redo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Redo the change that was undone last.",
        discussion: """
            Each redo redoes one change that diffablectl undo, or u in a viewer, undid. After any other change there is nothing to \
            redo. diffablectl undo LIST --to REVISION can still restore a revision.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Option(
        name: .customShort("n", allowingJoined: true),
        help: ArgumentHelp("Redo this number of changes, or none if there are fewer.", valueName: "count"))
    var n: Int?
    @Flag(help: "Show the diff and change nothing.") var dryRun = false
    @OptionGroup var options: ChangeOptions

    func validate() throws { try UndoCommand.check(n) }

    func run() async throws {
        try await UndoCommand(list: list, target: .forward(n ?? 1), options: options).run(dryRun: dryRun)
    }
}
