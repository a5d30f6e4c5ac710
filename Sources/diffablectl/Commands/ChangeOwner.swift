import ArgumentParser
import Diffable
import DiffableClient

struct ChangeOwner: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chown", abstract: "Change the owner and group of lists.",
        discussion: """
            OWNER is a user, a user and a group (alice:staff), or only a group (:staff), by name or by number. Only \
            root can give a list to another user. The owner of a list can give it to a group that the owner is in.
            """)

    @Argument(help: ArgumentHelp("The new user, group, or both.", valueName: "owner"), transform: NewOwner.init)
    var owner: NewOwner
    @Argument(help: "The lists.", completion: .lists, transform: listName) var lists: [ListName]
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        try await daemon.withConnection { connection in
            try await forEach(lists, "changed") {
                try await connection.setAccess(of: $0, owner: owner.user, group: owner.group)
            }
        }
    }
}

struct NewOwner: Sendable {
    var user: UInt32?
    var group: UInt32?

    init(_ argument: String) throws {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if !parts[0].isEmpty {
            guard let number = UserNames.userNumber(parts[0]) else {
                throw ValidationError("there is no user \(parts[0].debugDescription); getent passwd lists them")
            }
            user = number
        }
        if parts.count == 2 {
            guard let number = UserNames.groupNumber(parts[1]) else {
                throw ValidationError("there is no group \(parts[1].debugDescription); getent group lists them")
            }
            group = number
        }
        guard user != nil || group != nil else {
            throw ValidationError("the owner is empty: name a user, :GROUP, or USER:GROUP")
        }
    }
}
