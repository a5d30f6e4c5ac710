import DiffableInput
import DiffableView

struct TextTable {
    enum Alignment { case left, right }

    private let alignments: [Alignment]
    private var rows: [[String]]

    init(_ columns: KeyValuePairs<String, Alignment>) { self.init(columns.map { ($0.key, $0.value) }) }

    init(_ columns: [(String, Alignment)]) {
        alignments = columns.map(\.1)
        rows = [columns.map { harmless($0.0) }]
    }

    /// Makes cells `harmless` before they are measured, because visible marks take room.
    mutating func append(_ row: [String]) { rows.append(row.map { harmless($0) }) }

    var lines: [String] {
        let lengths = rows.map { row in row.map { columnCount(of: $0) } }
        let widths = alignments.indices.map { column in lengths.map { $0[column] }.max() ?? 0 }
        return zip(rows, lengths).map { row, lengths in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - lengths[column])
                switch alignments[column] {
                case .right: return space + cell
                case .left: return column == alignments.count - 1 ? cell : cell + space
                }
            }
            let line = cells.joined(separator: "  ")
            return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
        }
    }
}
