import DiffableInput
import GRDBSQLite
import Synchronization

/// One query of one database, each time over a connection of its own, read-only, which waits for nobody's lock.
struct DatabaseQuery {
    /// What the query brought, or why not.
    enum Answer {
        case rows(RowImages)
        /// Somebody else has it locked, or wrote while it was read: to be tried again soon.
        case busy(String)
        case failure(String)
    }

    /// How the database is opened.
    enum Access {
        /// As SQLite does: readers and writers of a log do not wait for each other.
        case shared
        /// As if nobody wrote: without any lock, so that no writer waits. What was read counts only if nobody did write.
        case unlocked
    }

    /// As messages name the database.
    let path: String
    let sql: String
    /// The columns whose text is JSON.
    let jsonColumns: Set<String>

    /// Blocks. The database is opened at its real path. A query that is interrupted (`Interruption`) is a failure.
    func answer(at real: String, _ access: Access, _ interruption: Interruption) -> Answer {
        DatabaseGate.reading {
            var connection: OpaquePointer?
            // The URI's host, between the second slash and the third, is empty.
            let name = "file://" + Self.escaped(real) + (access == .unlocked ? "?immutable=1" : "")
            let code = sqlite3_open_v2(
                name, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
            defer { sqlite3_close_v2(connection) }
            guard code == SQLITE_OK else { return answer(of: connection, code) }
            sqlite3_busy_timeout(connection, 0)
            interruption.begin(connection)
            defer { interruption.end() }
            return rows(connection)
        }
    }

    private func rows(_ connection: OpaquePointer?) -> Answer {
        var statement: OpaquePointer?
        var rest: UnsafePointer<CChar>?
        let (code, isAlone) = sql.withCString { text in
            let code = sqlite3_prepare_v2(connection, text, -1, &statement, &rest)
            return (code, rest.map { QueryText(String(cString: $0)).isBlank } ?? true)
        }
        defer { sqlite3_finalize(statement) }
        guard code == SQLITE_OK else { return answer(of: connection, code) }
        guard statement != nil, isAlone, sqlite3_stmt_readonly(statement) != 0 else {
            return .failure("the query is none: it must be one SELECT, which changes nothing")
        }
        let names = (0..<sqlite3_column_count(statement)).map { String(cString: sqlite3_column_name(statement, $0)) }
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
            return .failure("two columns are called \(twice.debugDescription); rename one with AS")
        }
        var rows = RowImageWriter()
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                guard rows.append(statement, columns: Int32(names.count)) else { return .failure("no memory") }
            case SQLITE_DONE: return .rows(rows.images(columns: names, jsonColumns: jsonColumns))
            case let code: return answer(of: connection, code)
            }
        }
    }

    private func answer(of connection: OpaquePointer?, _ code: Int32) -> Answer {
        let message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        let text = "the database \(path): \(message)"
        switch code & 0xFF {
        // What is damaged may be half written, and a log that somebody has left may need a user with more rights.
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_SCHEMA, SQLITE_CANTOPEN,
            SQLITE_READONLY, SQLITE_IOERR:
            return .busy(text)
        default: return .failure(text)
        }
    }

    /// As URIs have it.
    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }
}

/// Ends a query that runs, from another thread.
final class Interruption: Sendable {
    /// The pointer is used only while the query runs, because `begin` and `end` are around that.
    private struct Running: @unchecked Sendable {
        var connection: OpaquePointer?
        var isOver = false
    }

    private let running = Mutex(Running())

    func begin(_ connection: OpaquePointer?) {
        running.withLock { running in
            running.connection = connection
            if running.isOver { sqlite3_interrupt(connection) }
        }
    }

    func end() { running.withLock { $0.connection = nil } }

    var isOver: Bool { running.withLock(\.isOver) }

    /// Also what begins later.
    func interrupt() {
        running.withLock { running in
            running.isOver = true
            if let connection = running.connection { sqlite3_interrupt(connection) }
        }
    }
}
