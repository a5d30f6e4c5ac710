import ArgumentParser
import Diffable
import DiffableClient

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write all durable lists, as they are at one moment, to a file.",
        discussion: """
            The daemon goes on meanwhile. The file has its name when it is whole and on the disk, and is readable for \
            its owner alone. Its past, keys of requests and volatile lists are not in it. For root and the daemon's own user.
            """)

    @Argument(help: "The file, which must not be there.") var file: String
    @Flag(help: "Replace a file that is there.") var force = false
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        if !force, access(file, F_OK) == 0 { throw BackupFile.exists(file) }
        let backup = try BackupFile(path: file)
        let reply = try await daemon.withConnection { connection in
            try await connection.backupJSON { backup.append($0) }
        }
        let content = Content(reply)
        let lists = JSONView(content).member("lists") ?? JSONView(Content(Array("[]".utf8)))
        try backup.finish(lists: lists, replacing: force)
        var output = StandardOutput()
        output.line("\(file): \(extent(of: lists))")
        output.flush()
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the lists what a backup has, all of them or none.",
        discussion: """
            Lists that are not in the backup stay as they are. Each list that is restored begins a new life: who follows \
            one that was replaced starts over with it. For root and the daemon's own user.
            """)

    @Argument(help: "A file that backup wrote; - is standard input.") var file: String
    @Flag(help: "Lists that are there are replaced, with their past.") var replace = false
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        // A damaged file is not even begun with.
        var text = try BackupText(try inputBytes(of: file), named: file == "-" ? "standard input" : file)
        let reply = try await daemon.withConnection { connection in
            try await connection.restoreJSON(replacing: replace) { text.nextLine() }
        }
        var output = StandardOutput()
        if let lists = JSONView(Content(reply)).member("lists") { output.line("restored \(extent(of: lists))") }
        output.flush()
    }
}

/// `2 lists, 31 items`
private func extent(of lists: JSONView) -> String {
    let items = lists.elements.reduce(0) { $0 + ($1.number("items") ?? 0) }
    return "\(counted(lists.elements.count, "list")), \(counted(items, "item"))"
}
