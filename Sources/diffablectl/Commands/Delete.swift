import ArgumentParser
import Diffable
import DiffableClient

struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Delete lists with all their items.",
        discussion: """
            The daemon keeps a deleted list for some time, by default a day. During this time, diffablectl undelete \
            restores it with its history. A list that is too long to be kept is deleted only with --force.
            """)

    @Argument(help: "The lists.", completion: .lists, transform: listName) var lists: [ListName]
    @Flag(help: "Delete for good, and free the disk space.") var force = false
    @Option(help: ArgumentHelp("Change nothing unless the list is at this revision.", valueName: "revision"))
    var ifRevision: Int?
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if ifRevision != nil, lists.count > 1 {
            throw ValidationError("--if-revision needs exactly one list, not \(lists.count): name one")
        }
    }

    func run() async throws {
        try await daemon.withConnection { connection in
            try await forEach(lists, "deleted") { list in
                try await connection.deleteList(list, ifRevision: ifRevision, keeping: force ? .never : .required)
            }
            // A hint for interactive users. The daemon does not keep every deleted list, such as one that was never
            // changed.
            guard Terminal.isReadingErrors, !force else { return }
            let kept = Set(try await connection.deletedLists().map(\.summary.list))
            for list in lists where kept.contains(list) {
                printMessage("deleted; diffablectl undelete \(commandWord(list)) brings it back")
            }
        }
    }
}
