import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct ChangeMode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chmod", abstract: "Change the permissions of lists.",
        discussion: """
            MODE is octal digits, such as 640, or changes, such as g+r,o-rw. u is the owner, g the group, o all other \
            users, a all of them. r is the permission to see a list, w to change it, x to send requests to its handler \
            (diffablectl perform); w includes x. Only the owner and root can change the mode. A follower that may no \
            longer see the list gets an error.
            """)

    @Argument(help: "The mode, or changes of it.") var mode: String
    @Argument(help: "The lists.", completion: .lists, transform: listName) var lists: [ListName]
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        do throws(ModeChangeError) { _ = try ModeChange(mode) } catch { throw ValidationError("\(error)") }
    }

    func run() async throws {
        let change = try ModeChange(mode)
        try await daemon.withConnection { connection in
            let known = try await knownModes(for: change, connection)
            // Errors are found before anything is changed.
            let modes = try lists.map { try mode(of: $0, after: change, known) }
            let newModes = Dictionary(zip(lists, modes)) { $1 }
            try await forEach(lists, "changed") { try await connection.setAccess(of: $0, mode: newModes[$0]) }
        }
    }

    /// A relative change such as `g+r` needs the present mode. An absolute mode does not.
    private func knownModes(
        for change: ModeChange, _ connection: Connection
    ) async throws -> [ListName: AccessMode] {
        if case .mode = change { return [:] }
        return Dictionary(try await connection.lists().map { ($0.list, $0.access.mode) }) { $1 }
    }

    private func mode(
        of list: ListName, after change: ModeChange, _ known: [ListName: AccessMode]
    ) throws -> AccessMode {
        if case .mode(let mode) = change { return mode }
        guard let old = known[list] else {
            throw InputError(
                "there is no list \(quoted(list)), or you cannot see it, so only its whole mode can be set; nothing was "
                    + "changed. If it is yours, use for example diffablectl chmod 600 \(commandWord(list))")
        }
        return change.applied(to: old)
    }
}
