import ArgumentParser
import Diffable
import DiffableClient

struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reload the daemon's configuration, or make clients recreate items.",
        discussion: """
            Without a list, the daemon reads its configuration again. If it contains a mistake, the command prints it \
            with its place, the daemon continues with the old configuration, and the status is 1. The command names \
            settings that need a restart. Only root and the daemon's own user can reload.

            With a list, clients recreate the items, as if their kind had changed.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName?
    @Argument(help: ArgumentHelp("The items.", valueName: "id"), completion: .items, transform: itemID) var ids:
        [ItemID] = []
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if let list, ids.isEmpty {
            throw ValidationError(
                "name the items of \(list) to reload; to reload the daemon's configuration, leave \(list) out")
        }
        if list == nil, options.ifRevision != nil || options.requestKey != nil || options.retry != nil {
            throw ValidationError("--if-revision, --request-key and --retry can be used only with a list and its items")
        }
    }

    func run() async throws {
        guard let list else { return try await reloadConfiguration() }
        try await options.transact(list, [.reloadItems(ids.map { ItemReload(id: $0) })])
    }

    private func reloadConfiguration() async throws {
        let reload = try await options.daemon.withConnection { try await $0.reloadConfiguration() }
        if options.quiet { return }
        var output = StandardOutput()
        output.line(reload.file.map { "read \($0) again" } ?? "the daemon has no configuration file")
        if reload.applied.isEmpty { output.line("nothing has changed") }
        for setting in reload.applied { output.line("\(setting) has changed") }
        for setting in reload.needRestart { output.line("\(setting) has changed: restart the daemon to use it") }
        output.flush()
    }
}
