import ArgumentParser
import Diffable
import DiffableClient

struct Lists: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Name the lists that you may see.",
        discussion: "With -l also who may see (r) and change (w) each: its owner, its group, everybody else.")

    @Flag(name: [.customShort("l"), .long], help: "Say who may what.") var long = false
    @Flag(help: "The daemon's answer as JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        var output = StandardOutput()
        try await daemon.withConnection { connection in
            if json {
                output.line(String(decoding: try await connection.listsJSON(), as: UTF8.self))
            } else {
                let lists = try await connection.lists()
                if lists.isEmpty { return say("there are no lists; make one with diffablectl create NAME") }
                for line in (long ? longTable(lists) : table(lists)).lines { output.line(line) }
            }
        }
        output.flush()
    }

    private func table(_ lists: [ListSummary]) -> TextTable {
        var table = TextTable([
            "LIST": .left, "SECTIONS": .right, "ITEMS": .right, "REVISION": .right, "DURABILITY": .left,
        ])
        for list in lists {
            table.append([
                list.list.description, grouped(list.sections), grouped(list.items), "\(list.revision)",
                list.durability.rawValue,
            ])
        }
        return table
    }

    private func longTable(_ lists: [ListSummary]) -> TextTable {
        var table = TextTable([
            "MODE": .left, "OWNER": .left, "GROUP": .left, "ITEMS": .right, "REVISION": .right, "DURABILITY": .left,
            "LIST": .left,
        ])
        for list in lists {
            table.append([
                list.access.mode.symbolic, UserNames.user(list.access.owner), UserNames.group(list.access.group),
                grouped(list.items), "\(list.revision)", list.durability.rawValue, list.list.description,
            ])
        }
        return table
    }
}
