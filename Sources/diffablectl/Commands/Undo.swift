import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a list what it was.",
        discussion: """
            A new transaction restores an earlier revision, by default the one before the newest. Undoing that again does \
            what was undone.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Option(help: ArgumentHelp("Restore this revision.", valueName: "revision"), completion: .revisions) var to: Int?
    @Flag(help: "Show the difference and change nothing.") var dryRun = false
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        guard dryRun else {
            return try await undo()
        }
        try await options.daemon.reading { connection in
            let old = try await connection.state(of: list).snapshot
            let outcome = try await connection.undo(list, to: to, ifRevision: options.ifRevision, mode: .dryRun)
            try Preview(old: old, operations: outcome.operations ?? []).show()
        }
    }

    /// Before its first revision a list was empty. Who undoes that of a list that was restored or copied means something
    /// else.
    private func refuseToEmpty() async throws {
        guard to == nil else { return }
        let lists = try await options.daemon.reading { try await $0.lists() }
        guard let summary = lists.first(where: { $0.list == list }), summary.revision == 1, summary.items > 1 else {
            return
        }
        throw CommandError(
            .refused,
            "\(quoted(list)) is at its first revision, and was empty before; nothing was changed. If it is to be empty, say "
                + "--to 0; what a restore replaced comes back with diffablectl undelete \(list) --as NAME")
    }

    /// An undo is kept in the history like any change. A large one pushes earlier revisions out, which cannot be restored then.
    private func undo() async throws {
        var before: Int?
        try await refuseToEmpty()
        try await options.change { connection, key in
            if !options.quiet { before = try? await connection.history(of: list, limit: 1).oldestRevision }
            return try await connection.undo(list, to: to, ifRevision: options.ifRevision, requestKey: key)
        }
        guard let before else { return }
        let history = try await options.daemon.reading { try await $0.history(of: list, limit: 1) }
        guard history.oldestRevision > before else { return }
        say(
            "to make room for this change, revisions before \(history.oldestRevision) are not kept any more; undo --to can go "
                + "back to \(history.oldestRevision)")
    }
}
