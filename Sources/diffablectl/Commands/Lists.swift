import ArgumentParser
import Diffable
import DiffableClient

struct Lists: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "ls", abstract: "Name the lists.")

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
                for line in table(lists) { output.line(line) }
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
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return 1...3 ~= column ? space + cell : cell + (column == 4 ? "" : space)
            }
            return cells.joined(separator: "  ")
        }
    }
}
