import ArgumentParser
import Diffable
import DiffableClient

struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have the daemon read its configuration again, or clients make items anew.",
        discussion: """
            Without a list, the configuration is read. All of it is taken or nothing: when something is wrong, what and \
            where is said, the daemon goes on as before, and the status is 1. Settings that need a restart are named. For \
            root and the daemon's own user.

            With a list, clients are asked to make the items anew, as if their kind had changed.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName?
    @Argument(help: ArgumentHelp("The items.", valueName: "id"), completion: .items, transform: itemID) var ids:
        [ItemID] = []
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if let list, ids.isEmpty {
            throw ValidationError("say which items of \(list); without a list, the configuration is read again")
        }
        if list == nil, options.ifRevision != nil || options.requestKey != nil || options.retry != nil {
            throw ValidationError("--if-revision, --request-key and --retry are for a list and its items")
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
        output.line("read \(reload.file ?? "the configuration, which has no file,") again")
        if reload.applied.isEmpty { output.line("nothing has changed") }
        for setting in reload.applied { output.line("\(setting) has changed") }
        for setting in reload.needRestart { output.line("\(setting) has changed: restart the daemon to use it") }
        output.flush()
    }
}
