import GRDB

/// Reads the tables of checkpoints and journals once, in key order, which is the order of list numbers.
///
/// Startup reads all rows. Looking up the rows of each list would take longer than reading them: rows are longer than
/// the part that an index page stores, so SQLite reads each row it compares to its end.
///
/// Keys out of order are an error, because SQLite would search and insert in the wrong place after one.
final class OrderedRows {
    typealias CheckpointRow = ListHeading.CheckpointRow
    typealias JournalRow = ListHeading.JournalRow

    /// Lists with rows that are no longer referenced.
    private(set) var superseded: Set<Int> = []
    /// List numbers in rows that belong to no list.
    private(set) var ownerless: Set<Int> = []
    private let checkpoints: TableCursor
    private let journals: TableCursor
    private let onRead: (Int) -> Void

    /// - Parameters:
    ///   - path: the database's path, for errors.
    ///   - onRead: called with the number of bytes of each row.
    init(in database: Database, path: String, onRead: @escaping (Int) -> Void) throws {
        self.onRead = onRead
        checkpoints = try TableCursor(
            "SELECT list, generation, \(CheckpointRow.columns) FROM checkpoint ORDER BY list, generation, part",
            in: database, path: path)
        journals = try TableCursor(
            "SELECT list, \(JournalRow.columns) FROM journal ORDER BY list, revision, part",
            in: database, path: path)
    }

    /// Reads the checkpoint rows of the next list until the body stops. The bytes are valid within the body.
    func forEachCheckpointRow(of heading: ListHeading, _ body: (CheckpointRow) throws -> RowDisposition) throws {
        try forEachRow(of: heading, in: checkpoints) { statement in
            guard statement.integer(at: 1) == heading.generation else { return .passesOver }
            let row = CheckpointRow(statement, from: 2)
            onRead(row.elements.count)
            return try body(row)
        }
    }

    /// Reads the journal rows of the next list until the body stops. The bytes are valid within the body.
    func forEachJournalRow(of heading: ListHeading, _ body: (JournalRow) throws -> RowDisposition) throws {
        try forEachRow(of: heading, in: journals) { statement in
            guard statement.integer(at: 1) > heading.checkpointRevision else { return .passesOver }
            let row = JournalRow(statement, from: 1)
            onRead(row.notes.count + row.operations.count)
            return try body(row)
        }
    }

    private func forEachRow(
        of heading: ListHeading, in table: TableCursor, _ body: (Statement) throws -> RowDisposition
    ) throws {
        while let list = table.list, list <= heading.number {
            var reading = RowDisposition.goesOn
            if list < heading.number { ownerless.insert(list) } else { reading = try body(table.row) }
            if reading == .passesOver { superseded.insert(list) }
            try table.advance()
            if reading == .stops { return }
        }
    }

    /// Reads to the end, after the last list.
    func finish() throws {
        for table in [checkpoints, journals] {
            while let list = table.list {
                ownerless.insert(list)
                try table.advance()
            }
        }
    }
}

enum RowDisposition {
    case goesOn
    /// The row is no longer referenced.
    case passesOver
    case stops
}

/// A position in a table whose first three columns are the key, starting with a list's number.
private final class TableCursor {
    /// The current row. Valid until `advance`.
    let row: Statement
    private let rows: RowCursor
    private let path: String
    /// Nil at the end.
    private var key: (list: Int, Int, Int)?

    /// - Parameters:
    ///   - sql: a query that sorts by the key.
    ///   - path: the database's path, for errors.
    init(_ sql: String, in database: Database, path: String) throws {
        row = try database.makeStatement(sql: sql)
        rows = try Row.fetchCursor(row)
        self.path = path
        try advance()
    }

    /// The list number of the current row. Nil at the end.
    var list: Int? { key?.list }

    func advance() throws {
        let last = key
        // After an error, the cursor is at the end.
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
