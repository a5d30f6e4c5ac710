import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Leave: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Stop sharing lists with other hosts.",
        discussion: """
            This host's copies of shared lists become ordinary lists, with the items, owner and mode that they have. \
            The other hosts keep the shared lists. etcd need not run. Only root and the daemon's user can do this, and \
            only while diffabled-etcd is stopped on this host:
              sudo systemctl disable --now diffabled-etcd
              sudo diffablectl leave --all

            The lists get a new epoch and a new history. Items that clients lease become ordinary items.
            """)

    @Argument(help: "The lists.", completion: .lists, transform: listName) var lists: [ListName] = []
    @Flag(help: "All shared lists of this host.") var all = false
    @Flag(help: "Delete the copies instead; diffablectl undelete brings them back.") var drop = false
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if lists.isEmpty != all { throw ValidationError("name the lists, or use --all for all shared lists") }
    }

    func run() async throws {
        try await daemon.withConnection { connection in
            let known = try await connection.lists().filter(\.isShared)
            let epochs = Dictionary(uniqueKeysWithValues: known.map { ($0.list, $0.epoch) })
            do { try await connection.attach(as: "leaving") } catch {
                guard case ClientError.refused(let refusal) = error, refusal.code == .attachExists else { throw error }
                throw CommandError(
                    .conflict,
                    "diffabled-etcd is attached to the daemon, and would create the lists again; nothing was changed. Stop it "
                        + "first with systemctl disable --now diffabled-etcd")
            }
            try await forEach(all ? known.map(\.list) : lists, drop ? "deleted" : "left") { list in
                guard let epoch = epochs[list] else {
                    throw CommandError(.conflict, "the list \(quoted(list)) is not shared, and was not changed")
                }
                try await connection.leave(list, epoch: epoch, isDropped: drop)
            }
        }
    }
}
