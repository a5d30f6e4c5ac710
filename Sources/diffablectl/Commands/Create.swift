import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Create a list.")

    @Argument(help: "The new list's name.", transform: listName) var list: ListName
    @Flag(name: .customLong("volatile"), help: "Keep the list in memory only; a restart of the daemon deletes it.")
    var isVolatile = false
    @Flag(
        name: .customLong("shared"),
        help:
            "Share the list with other hosts: diffabled-etcd keeps it in etcd, and each change is written there first.")
    var isShared = false
    @Flag(help: "Do nothing if the list already exists.") var ifAbsent = false
    @Option(help: "A list to start from (docs/appearance.md).") var preset: Preset?
    @Option(help: "The access mode, as octal digits such as 0640 (see chmod).", transform: octalMode) var mode:
        AccessMode?
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if isShared, isVolatile {
            throw ValidationError("a shared list is always durable: leave out --volatile, or --shared")
        }
    }

    func run() async throws {
        try await daemon.withConnection { connection in
            do {
                _ = try await connection.createList(
                    list, durability: isVolatile ? .volatile : .durable, ifPresent: ifAbsent ? .isKept : .isError,
                    mode: mode, isShared: isShared)
                if let preset, try await connection.lists().first(where: { $0.list == list })?.revision == 0 {
                    let whole = preset.list
                    _ = try await connection.apply(list, whole.sections, content: whole.content, ifRevision: 0)
                }
            } catch ClientError.refused(let refusal) where refusal.code == .listExists {
                throw CommandError(
                    .conflict,
                    "there is already a list \(quoted(list)), and it was not changed; choose another name, or use --if-absent if "
                        + "the list may exist")
            }
        }
    }
}
