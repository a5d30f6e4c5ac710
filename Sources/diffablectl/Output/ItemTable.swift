import ArgumentParser
import Diffable
import DiffableInput

enum ShowFormat: String, CaseIterable, ExpressibleByArgument {
    case outline
    case table
    case tsv
    case csv
    case ids
    /// An object on each line: the whole list, which `apply` reads again, or columns of each item.
    case jsonl
    case json
}

struct ItemTable {
    private let rows: [ItemRow]
    private let columns: [ItemColumn]

    /// `columns` has the columns to write; nil for all.
    init(_ snapshot: Snapshot, columns: [ItemColumn]?) {
        rows = ItemRow.all(of: snapshot)
        self.columns = columns ?? ItemColumn.usual(for: rows)
    }

    func write(as format: ShowFormat) {
        var output = StandardOutput()
        switch format {
        // A header without rows is useless to a user.
        case .table: if !rows.isEmpty { output.table(table) }
        case .tsv: writeCells(separatedBy: "\t", to: &output, TSVEscapes.escaped)
        case .csv: writeCells(separatedBy: ",", to: &output, Self.quoted)
        case .ids: for row in rows { output.line(of: ["\(row.item.id)"]) }
        case .jsonl: for row in rows { output.json(object(row).utf8) }
        case .outline, .json: preconditionFailure("\(format) is no table")
        }
        output.flush()
    }

    private var table: TextTable {
        let alignments = columns.map { column -> TextTable.Alignment in
            rows.allSatisfy { column.value(in: $0).map { JSONReader($0).isNumber } ?? false } ? .right : .left
        }
        var table = TextTable(zip(columns.map(\.title), alignments).map { ($0, $1) })
        for row in rows { table.append(columns.map { $0.text(in: row) }) }
        return table
    }

    private func writeCells(
        separatedBy separator: String, to output: inout StandardOutput, _ cell: (String) -> String
    ) {
        output.line(of: columns.map { cell($0.columnName) }, separatedBy: separator)
        for row in rows { output.line(of: columns.map { cell($0.text(in: row)) }, separatedBy: separator) }
    }

    /// Quotes a CSV field (RFC 4180).
    private static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
        return "\"\(text.replacing("\"", with: "\"\""))\""
    }

    private func object(_ row: ItemRow) -> String {
        let members = columns.compactMap { column in column.value(in: row).map { (column.memberName, $0) } }
        return Content.object(members).description
    }
}
