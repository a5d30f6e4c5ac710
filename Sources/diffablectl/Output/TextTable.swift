/// Rows whose cells stand under each other.
struct TextTable {
    enum Alignment { case left, right }

    private let alignments: [Alignment]
    private var rows: [[String]]

    init(_ columns: KeyValuePairs<String, Alignment>) {
        alignments = columns.map(\.value)
        rows = [columns.map(\.key)]
    }

    mutating func append(_ row: [String]) { rows.append(row) }

    /// With the head. The last column is not padded.
    var lines: [String] {
        let widths = alignments.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                switch alignments[column] {
                case .right: return space + cell
                case .left: return column == alignments.count - 1 ? cell : cell + space
                }
            }
            return cells.joined(separator: "  ")
        }
    }
}
