import Diffable
import DiffableJSON

/// The rows of a commit group. Each list has one row, so that its transactions share the cost of a row.
///
/// A row holds transactions in the order of their revisions: each as one line with a JSON array of operations, and one
/// line with its time and origin (`TransactionNote`). A transaction that exceeds the maximum row length gets several
/// rows of its own. Each of these holds an array that applies after the previous ones, and only the first has the note.
struct JournalRows {
    struct Row {
        var state: ListState
        /// The revision after the first transaction.
        let revision: Int
        /// Zero, except in rows that continue a transaction.
        var part = 0
        /// The index of its first change in the group.
        let change: Int
        /// The number of transactions that end in the row.
        var steps = 1
        var kept = KeptTransactions()
        var notes = ByteWriter()
        var bytes = ByteWriter()
        fileprivate(set) var chain = ChecksumChain(value: 0)

        /// The JSON of its transaction. Nil if the row holds several, or only a part of one.
        var onlyStep: [UInt8]? { steps == 1 && part == 0 ? bytes.bytes : nil }

        var journalled: JournalledList.JournalledRow {
            JournalledList.JournalledRow(
                revision: state.revision, length: length, steps: steps, kept: kept, chain: chain)
        }

        var length: Int { notes.count + bytes.count }

        fileprivate mutating func append(_ note: TransactionNote) {
            kept.append(note.revision)
            note.write(into: &notes)
        }
    }

    private(set) var rows: [Row] = []

    /// In bytes.
    var length: Int { rows.reduce(0) { $0 + $1.length } }

    /// The index in `rows` of the row that accepts more transactions, by list number.
    private var open: [Int: Int] = [:]
    /// In bytes.
    private let rowLengthMax: Int
    /// In bytes. A longer row accepts no more transactions, because a row is read into memory as a whole.
    private let sharedLengthMax: Int

    /// In bytes. Capacity that avoids reallocation in the usual case.
    private static let noteLengthUsual = 64
    private static let stepLengthUsual = 512

    static let separator = UInt8(ascii: "\n")

    init(rowLengthMax: Int, sharedLengthMax: Int) {
        self.rowLengthMax = rowLengthMax
        self.sharedLengthMax = sharedLengthMax
    }

    mutating func append(_ operations: [ListOperation], _ note: TransactionNote, to state: ListState, change: Int) {
        var writer = OperationsWriter(operations)
        if let position = open[state.number] {
            let start = rows[position].bytes.count
            rows[position].bytes.append(byte: JournalRows.separator)
            if writer.writeArray(into: &rows[position].bytes, upTo: start + rowLengthMax) == .done {
                rows[position].state = state
                rows[position].steps += 1
                rows[position].notes.append(byte: JournalRows.separator)
                rows[position].append(note)
                if rows[position].bytes.count > sharedLengthMax { open[state.number] = nil }
                return
            }
            rows[position].bytes.truncate(to: start)
            writer = OperationsWriter(operations)
        }
        appendRow(&writer, note, to: state, change: change)
    }

    private mutating func appendRow(
        _ writer: inout OperationsWriter, _ note: TransactionNote, to state: ListState, change: Int
    ) {
        var row = Row(state: state, revision: state.revision, change: change)
        row.notes.reserve(JournalRows.noteLengthUsual)
        row.bytes.reserve(JournalRows.stepLengthUsual)
        row.append(note)
        var progress = writer.writeArray(into: &row.bytes, upTo: rowLengthMax)
        rows.append(row)
        open[state.number] = progress == .done && row.bytes.count <= sharedLengthMax ? rows.count - 1 : nil
        while progress == .more {
            rows[rows.count - 1].steps = 0
            row.part += 1
            row.kept = KeptTransactions()
            row.notes = ByteWriter()
            row.bytes = ByteWriter()
            progress = writer.writeArray(into: &row.bytes, upTo: rowLengthMax)
            rows.append(row)
        }
    }

    /// Chains each row to the list's previous row. `chain` returns the current end of a list's chain.
    mutating func link(_ chain: (ListState) -> ChecksumChain) {
        // By list number. Stays empty for a single row, which is the usual case.
        var ends: [Int: ChecksumChain] = [:]
        for index in rows.indices {
            let row = rows[index]
            let linked = row.notes.withUnsafeBytes { notes in
                row.bytes.withUnsafeBytes { operations in
                    (ends[row.state.number] ?? chain(row.state)).linked(
                        revision: row.revision, part: row.part, notes: notes, operations: operations)
                }
            }
            rows[index].chain = linked
            if rows.count > 1 { ends[row.state.number] = linked }
        }
    }
}
