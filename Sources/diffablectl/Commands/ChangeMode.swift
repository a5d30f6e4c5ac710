import ArgumentParser
import Diffable
import DiffableClient

struct ChangeMode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chmod", abstract: "Say who may see and change lists.",
        discussion: """
            MODE is octal digits, such as 640, or changes, such as g+r,o-rw: u is the owner, g the group, o everybody else, a \
            all of them; r is to see a list, w to change it. For the owner and root. Who is following a list and may not see it \
            any more is told so.
            """)

    @Argument(help: "The mode, or what to change of it.") var mode: String
    @Argument(help: "The lists.", completion: .lists, transform: listName) var lists: [ListName]
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        do throws(AccessModeError) { _ = try AccessMode.ownerOnly.changed(as: mode) } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        try await daemon.withConnection { connection in
            let octal = try? AccessMode(octal: mode)
            // What is to be changed of a mode rests on what it is.
            let known = octal == nil ? try await connection.lists() : []
            let modes = Dictionary(known.map { ($0.list, $0.access.mode) }) { $1 }
            for list in lists {
                try await connection.setAccess(of: list, mode: try octal ?? changed(modes[list], of: list))
            }
        }
    }

    private func changed(_ known: AccessMode?, of list: ListName) throws -> AccessMode {
        guard let known else {
            throw InputError(
                "\(quoted(list)) is not among the lists that you may see, so what is to be changed of its mode is not known; "
                    + "if it is yours, name the new mode: diffablectl chmod 600 \(list)")
        }
        return try known.changed(as: mode)
    }
}
