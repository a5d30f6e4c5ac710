import ArgumentParser
import Diffable
import DiffableClient

struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make a list.")

    @Argument(help: "The new list's name.", transform: listName) var list: ListName
    @Flag(name: .customLong("volatile"), help: "Keep it in memory only: it is gone when the daemon restarts.")
    var isVolatile = false
    @Flag(
        name: .customLong("shared"),
        help: "Share it with other hosts: diffabled-etcd keeps it in etcd, and each change is there first.")
    var isShared = false
    @Flag(help: "Leave a list of this name as it is if there is one.") var ifAbsent = false
    @Option(help: "Who may see and change it, as octal digits: 0640.", transform: octalMode) var mode: AccessMode?
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if isShared, isVolatile { throw ValidationError("A shared list is kept on disk: leave --volatile out.") }
    }

    func run() async throws {
        try await daemon.withConnection { connection in
            do {
                _ = try await connection.createList(
                    list, durability: isVolatile ? .volatile : .durable, ifPresent: ifAbsent ? .isKept : .isError,
                    mode: mode, isShared: isShared)
            } catch ClientError.refused(let refusal) where refusal.name == "listExists" {
                throw CommandError(.conflict, "\(refusal.words); --if-absent leaves it as it is")
            }
        }
    }
}
