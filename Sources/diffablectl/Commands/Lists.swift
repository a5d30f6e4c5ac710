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
                if lists.isEmpty { say("there are no lists; make one with diffablectl create NAME") }
                for line in long ? longTable(lists) : table(lists) { output.line(line) }
            }
        }
        output.flush()
    }

    private func table(_ lists: [ListSummary]) -> [String] {
        guard !lists.isEmpty else { return [] }
        let rows =
            [["LIST", "SECTIONS", "ITEMS", "REVISION", "DURABILITY"]]
            + lists.map {
                [
                    $0.list.description, grouped($0.sections), grouped($0.items), "\($0.revision)",
                    $0.durability.rawValue,
                ]
            }
        return aligned(rows, numbers: 1...3)
    }

    private func longTable(_ lists: [ListSummary]) -> [String] {
        guard !lists.isEmpty else { return [] }
        let rows =
            [["MODE", "OWNER", "GROUP", "ITEMS", "REVISION", "DURABILITY", "LIST"]]
            + lists.map {
                [
                    $0.access.mode.symbolic, UserNames.user($0.access.owner), UserNames.group($0.access.group),
                    grouped($0.items), "\($0.revision)", $0.durability.rawValue, $0.list.description,
                ]
            }
        return aligned(rows, numbers: 3...4)
    }

    /// - Parameter numbers: the columns that end at one place.
    private func aligned(_ rows: [[String]], numbers: ClosedRange<Int>) -> [String] {
        let columns = rows.first?.indices ?? 0..<0
        let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return numbers ~= column ? space + cell : cell + (column == columns.last ? "" : space)
            }
            return cells.joined(separator: "  ")
        }
    }
}
