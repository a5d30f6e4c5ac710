import GRDB

/// Goes through the tables of checkpoints and of journals once, in the order of their keys, which is that of lists' numbers.
///
/// A start reads all of them. To look up those of each list would take it longer than to read them: a row is longer than what a
/// page of an index keeps of it, so SQLite reads each row that it compares to its end.
///
/// Keys that are out of order are an error: SQLite would search and insert in the wrong place behind one.
final class OrderedRows {
    typealias CheckpointRow = ListHeading.CheckpointRow
    typealias JournalRow = ListHeading.JournalRow

    /// Lists with rows that nothing refers to any more.
    private(set) var superseded: Set<Int> = []
    /// Numbers in rows of which there is no list.
    private(set) var ownerless: Set<Int> = []
    private let checkpoints: TableCursor
    private let journals: TableCursor
    private let onRead: (Int) -> Void

    /// - Parameters:
    ///   - path: of the database, for errors.
    ///   - onRead: hears how many bytes were read.
    init(in database: Database, path: String, onRead: @escaping (Int) -> Void) throws {
        self.onRead = onRead
        checkpoints = try TableCursor(
            "SELECT list, generation, \(CheckpointRow.columns) FROM checkpoint ORDER BY list, generation, part",
            in: database, path: path)
        journals = try TableCursor(
            "SELECT list, \(JournalRow.columns) FROM journal ORDER BY list, revision, part",
            in: database, path: path)
    }

    /// Goes through the rows of a list's checkpoint, which is the next list, as long as the body wants more. The bytes are valid
    /// within the body.
    func forEachCheckpointRow(of heading: ListHeading, _ body: (CheckpointRow) throws -> Reading) throws {
        try forEachRow(of: heading, in: checkpoints) { statement in
            guard statement.integer(at: 1) == heading.generation else { return .passesOver }
            let row = CheckpointRow(statement, from: 2)
            onRead(row.elements.count)
            return try body(row)
        }
    }

    /// The same with the rows of its journal.
    func forEachJournalRow(of heading: ListHeading, _ body: (JournalRow) throws -> Reading) throws {
        try forEachRow(of: heading, in: journals) { statement in
            guard statement.integer(at: 1) > heading.checkpointRevision else { return .passesOver }
            let row = JournalRow(statement, from: 1)
            onRead(row.notes.count + row.operations.count)
            return try body(row)
        }
    }

    private func forEachRow(
        of heading: ListHeading, in table: TableCursor, _ body: (Statement) throws -> Reading
    ) throws {
        while let list = table.list, list <= heading.number {
            var reading = Reading.goesOn
            if list < heading.number { ownerless.insert(list) } else { reading = try body(table.row) }
            if reading == .passesOver { superseded.insert(list) }
            try table.advance()
            if reading == .stops { return }
        }
    }

    /// Goes to the end, behind the last list.
    func finish() throws {
        for table in [checkpoints, journals] {
            while let list = table.list {
                ownerless.insert(list)
                try table.advance()
            }
        }
    }
}

/// How somebody goes on who is handed a row.
enum Reading {
    case goesOn
    /// Nothing refers to this row.
    case passesOver
    /// Wants no more.
    case stops
}

/// Stands at a row of a table, whose first three columns are the key, and of these the first is a list's number.
private final class TableCursor {
    /// Valid until `advance`.
    let row: Statement
    private let rows: RowCursor
    private let path: String
    /// Nil at the end.
    private var key: (list: Int, Int, Int)?

    /// - Parameters:
    ///   - sql: in the order of the key.
    ///   - path: of the database, for errors.
    init(_ sql: String, in database: Database, path: String) throws {
        row = try database.makeStatement(sql: sql)
        rows = try Row.fetchCursor(row)
        self.path = path
        try advance()
    }

    /// The number of the list whose row it is; nil at the end.
    var list: Int? { key?.list }

    func advance() throws {
        let last = key
        // After an error there is nothing more.
        key = nil
        guard try rows.next() != nil else { return }
        let next = (list: row.integer(at: 0), row.integer(at: 1), row.integer(at: 2))
        if let last, next <= last {
            throw StoreOpeningError.unreadable(
                path: path, reason: "rows of the list number \(last.list) are out of order")
        }
        key = next
    }
}
