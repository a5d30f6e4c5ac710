import CSQLiteGuard
import DiffableInput
import GRDBSQLite

/// Restricts the query of a feed to reading one database. The database may be hostile, and its views are part of the query.
package enum QueryGuard {
    /// Whether SQLite opens only regular files, in the whole process.
    private static let isProcessGuarded: Bool = {
        sqlite_guard_process()
        return true
    }()

    /// Limits the memory of SQLite in the whole process.
    package static func limitMemory() { sqlite3_hard_heap_limit64(Int64(FeedLimits.queryMemoryMax)) }

    /// Runs the closure, which uses a database. Returns nil if another process truncated a file of the database while it was in
    /// use.
    static func reading<R>(_ body: () -> R) -> R? {
        guard isProcessGuarded else { return nil }
        sqlite_guard_begin()
        let result = body()
        return sqlite_guard_end() ? nil : result
    }

    static func guardConnection(_ connection: OpaquePointer?, _ limits: InputLimits) {
        sqlite_guard_connection(connection)
        // Temporary tables and sorts count against the memory limit instead of filling a disk.
        sqlite3_exec(connection, "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON", nil, nil, nil)
        for (limit, value) in [
            (SQLITE_LIMIT_LENGTH, limits.sourceLengthMax), (SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
            (SQLITE_LIMIT_COLUMN, limits.columnsMax), (SQLITE_LIMIT_VDBE_OP, 1_000_000), (SQLITE_LIMIT_ATTACHED, 0),
            (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000), (SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            sqlite3_limit(connection, limit, Int32(clamping: value))
        }
        sqlite3_set_authorizer(
            connection,
            { _, action, first, second, _, _ in
                QueryGuard.allows(action, first.map { String(cString: $0) }, second.map { String(cString: $0) })
                    ? SQLITE_OK : SQLITE_DENY
            }, nil)
    }

    /// `first` is the table or the pragma; `second` is the function, or the new value of the pragma.
    private static func allows(_ action: Int32, _ first: String?, _ second: String?) -> Bool {
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: true
        case SQLITE_FUNCTION: second != "load_extension"
        case SQLITE_PRAGMA:
            describingPragmas.contains(first ?? "") || second == nil && valuePragmas.contains(first ?? "")
        // An R*Tree prepares its writing statements when it is opened (sqlite.org/rtree.html). The database is read-only, so
        // they never run.
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
            // Any virtual table prepares its declaration in the same way.
            first == "sqlite_master" || ["_node", "_rowid", "_parent"].contains { first?.hasSuffix($0) == true }
        default: false
        }
    }

    private static let describingPragmas: Set = [
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
    ]
    /// Pragmas that return a value, and would set it if they were given one.
    private static let valuePragmas: Set = [
        "application_id", "data_version", "encoding", "page_count", "page_size", "schema_version", "user_version",
    ]
}
