import GRDB
import GRDBSQLite

// The table rows of one list, in order and unchecked: each reader decides how to handle faults. Startup reads the rows
// of all lists (`OrderedRows`); `--check` and `--repair` look them up.

extension ListHeading {
    struct CheckpointRow {
        let part: Int
        let checksum: Int64
        let elements: UnsafeRawBufferPointer

        static let columns = "part, checksum, elements"
    }

    struct JournalRow {
        let revision: Int
        let part: Int
        let chain: ChecksumChain
        let notes: UnsafeRawBufferPointer
        let operations: UnsafeRawBufferPointer

        static let columns = "revision, part, chain, notes, operations"
    }

    /// Looks up the checkpoint's rows, in the order of their parts. The bytes are valid within the body.
    func forEachCheckpointRow(in database: Database, _ body: (CheckpointRow) throws -> Void) throws {
        let sql = """
            SELECT \(CheckpointRow.columns) FROM checkpoint WHERE list = ? AND generation = ? ORDER BY part
            """
        let statement = try database.makeStatement(sql: sql)
        let rows = try Row.fetchCursor(statement, arguments: [number, generation])
        while try rows.next() != nil { try body(CheckpointRow(statement, from: 0)) }
    }

    /// Looks up the journal's rows, in the order of revisions and parts. The bytes are valid within the body.
    func forEachJournalRow(in database: Database, _ body: (JournalRow) throws -> Void) throws {
        let sql = """
            SELECT \(JournalRow.columns) FROM journal WHERE list = ? AND revision > ? ORDER BY revision, part
            """
        let statement = try database.makeStatement(sql: sql)
        let rows = try Row.fetchCursor(statement, arguments: [number, checkpointRevision])
        while try rows.next() != nil { try body(JournalRow(statement, from: 0)) }
    }
}

extension ListHeading.CheckpointRow {
    /// Reads the statement's current row, with the columns starting at `index`.
    init(_ statement: Statement, from index: CInt) {
        self.init(
            part: statement.integer(at: index), checksum: Int64(statement.integer(at: index + 1)),
            elements: statement.bytes(at: index + 2))
    }
}

extension ListHeading.JournalRow {
    /// Reads the statement's current row, with the columns starting at `index`.
    init(_ statement: Statement, from index: CInt) {
        self.init(
            revision: statement.integer(at: index), part: statement.integer(at: index + 1),
            chain: ChecksumChain(value: Int64(statement.integer(at: index + 2))), notes: statement.bytes(at: index + 3),
            operations: statement.bytes(at: index + 4))
    }
}

extension Statement {
    /// A value of the current row; 0 if it is not a number.
    func integer(at index: CInt) -> Int { Int(sqlite3_column_int64(sqliteStatement, index)) }

    /// A blob of the current row, without a copy; empty for NULL. Valid until the next step. (GRDB would allocate a `Data`.)
    func bytes(at index: CInt) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(sqliteStatement, index)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(sqliteStatement, index)))
    }
}

extension ChecksumChain {
    func linked(_ row: ListHeading.JournalRow) -> ChecksumChain {
        linked(revision: row.revision, part: row.part, notes: row.notes, operations: row.operations)
    }
}
