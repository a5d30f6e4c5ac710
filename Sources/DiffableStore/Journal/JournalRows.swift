import Diffable
import DiffableJSON

/// The rows of a group of changes: one for each list, so that what a row costs is shared by its transactions.
///
/// A row holds the steps from one revision to the next, each a JSON array of operations in a line of its own, and as
/// many lines that say who made them and when (`StepNote`). A step that is longer than a row may be stands in several
/// rows, alone: each holds an array, and what one has done is there for the next; the first has its note.
struct JournalRows {
    struct Row {
        /// The list as its last step leaves it.
        var state: ListState
        /// What the first step leads to.
        let revision: Int
        /// Zero, but for the rows that go on with a step.
        var part = 0
        /// Which of the group's changes it begins with.
        let change: Int
        /// How many steps end in it.
        var steps = 1
        var kept = KeptSteps()
        var notes = ByteWriter()
        var bytes = ByteWriter()
        /// Of nothing before `link`.
        fileprivate(set) var chain = Chain(value: 0)

        /// The JSON of its step, if that is all that is in it.
        var onlyStep: [UInt8]? { steps == 1 && part == 0 ? bytes.bytes : nil }

        /// For the list that it is a row of.
        var journalled: JournalledList.JournalledRow {
            JournalledList.JournalledRow(
                end: JournalledList.RowEnd(state: state, chain: chain), length: length, steps: steps, kept: kept)
        }

        /// In bytes.
        var length: Int { notes.count + bytes.count }

        fileprivate mutating func append(_ note: StepNote) {
            kept.append(note.revision)
            note.write(into: &notes)
        }
    }

    private(set) var rows: [Row] = []

    /// In bytes.
    var length: Int { rows.reduce(0) { $0 + $1.length } }

    /// By the number of a list: its row that takes more steps.
    private var open: [Int: Int] = [:]
    /// In bytes.
    private let rowLengthMax: Int
    /// A row takes no more steps once it is longer, in bytes: it is read into memory as a whole.
    private let sharedLengthMax: Int

    /// In bytes; longer ones are no harm.
    private static let noteLengthUsual = 64
    private static let stepLengthUsual = 512

    static let separator = UInt8(ascii: "\n")

    init(rowLengthMax: Int, sharedLengthMax: Int) {
        self.rowLengthMax = rowLengthMax
        self.sharedLengthMax = sharedLengthMax
    }

    /// Adds the step that leads to a state.
    mutating func append(_ operations: [Operation], _ note: StepNote, to state: ListState, change: Int) {
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
        _ writer: inout OperationsWriter, _ note: StepNote, to state: ListState, change: Int
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
            row.kept = KeptSteps()
            row.notes = ByteWriter()
            row.bytes = ByteWriter()
            progress = writer.writeArray(into: &row.bytes, upTo: rowLengthMax)
            rows.append(row)
        }
    }

    /// Links each row to the one before it of its list; `chain` says where a list's chain has come to so far.
    mutating func link(_ chain: (ListState) -> Chain) {
        // By the number of a list. Not kept for a single row, the usual case.
        var ends: [Int: Chain] = [:]
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
