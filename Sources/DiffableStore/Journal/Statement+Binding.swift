import GRDB
import GRDBSQLite

extension Statement {
    /// Executes a statement whose arguments are integers followed by blobs. The blobs are not copied.
    ///
    /// Used for the statement that every commit group executes, because GRDB allocates a value and a closure for each
    /// argument, which takes half as long as SQLite itself.
    func execute(integers: [Int64], blobs: [UnsafeRawBufferPointer]) throws {
        var position: CInt = 0
        for integer in integers {
            position += 1
            sqlite3_bind_int64(sqliteStatement, position, integer)
        }
        for blob in blobs {
            position += 1
            if blob.isEmpty {
                // A nil address would bind NULL.
                sqlite3_bind_zeroblob(sqliteStatement, position, 0)
            } else {
                sqlite3_bind_blob64(sqliteStatement, position, blob.baseAddress, UInt64(blob.count), nil)
            }
        }
        defer {
            sqlite3_reset(sqliteStatement)
            sqlite3_clear_bindings(sqliteStatement)
        }
        let code = sqlite3_step(sqliteStatement)
        guard code == SQLITE_DONE else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: String(cString: sqlite3_errmsg(sqlite3_db_handle(sqliteStatement))), sql: sql)
        }
    }
}
