import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete items with their children.",
        discussion: """
            With --where, all matching items are deleted in one transaction. The command prints how many items it \
            deleted, and how many were below them.
              diffablectl rm tasks --where done --dry-run
              diffablectl rm tasks --where done
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: ArgumentHelp("The items.", valueName: "id"), completion: .items, transform: itemID) var ids:
        [ItemID] = []
    @Flag(help: "Ignore items that do not exist.") var ifPresent = false
    @Flag(help: "Delete all items and all sections.") var all = false
    @OptionGroup var matching: ConditionOptions
    @OptionGroup var preview: PreviewOptions
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if !ids.isEmpty, !matching.isEmpty {
            throw ValidationError("name the items to delete, or select them with --where, not both")
        }
        guard [all, !ids.isEmpty, !matching.isEmpty].count(where: { $0 }) == 1 else {
            throw ValidationError(
                all
                    ? "--all deletes every item: leave out --all, or else the items and --where"
                    : "name the items to delete, select them with --where, or use --all")
        }
    }

    func run() async throws {
        if !matching.isEmpty {
            // An item may be a descendant of another one.
            let change = try await options.outcome(of: list, where: matching, isDryRun: preview.dryRun) { _, items in
                [.deleteItems(items.map(\.id), .isPassedOver)]
            }
            guard let change else { return }
            return await options.report(
                deletion: change.outcome, named: change.count, saying: "\(counted(change.count, "item")) deleted")
        }
        let operation: ListOperation =
            all ? .deleteAllItems : .deleteItems(ids, ifPresent ? .isPassedOver : .isError)
        if preview.dryRun { return try await options.preview(list) { _ in [operation] } }
        let outcome = try await options.answer { connection, key in
            try await connection.transact(list, [operation], ifRevision: options.ifRevision, requestKey: key)
        }
        await options.report(deletion: outcome, named: all ? nil : ids.count)
    }
}
