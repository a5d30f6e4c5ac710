import DiffableInput
import GRDBSQLite
import Synchronization

/// A query of a database. Each run opens its own read-only connection, and never waits for a lock.
struct DatabaseQuery {
    enum Answer {
        case rows(RawRows)
        /// The database was locked or being written, or the query took too long. Try again.
        case busy(String)
        case failure(String)
    }

    enum Access {
        /// With SQLite's locks. In WAL mode, readers and writers do not wait for each other.
        case shared
        /// Without locks, so that no writer waits. The result is valid only if nothing was written during the query.
        case unlocked
    }

    let path: String
    let sql: String
    let jsonColumns: Set<String>
    /// The remedy for a database that stays locked; empty for a copy.
    var remedy = ""
    var limits = FeedLimits.input

    /// Runs the query and blocks. No part of the real path may have become a symbolic link. An interrupted query
    /// (`QueryInterrupter`) is a failure.
    func answer(at real: String, _ access: Access, _ interrupter: QueryInterrupter) -> Answer {
        DatabaseGate.withReader {
            QueryGuard.reading { opened(real, access, interrupter) }
                ?? .busy("the database \(path): it changed while it was read (the index of its WAL was truncated)")
        }
    }

    private func opened(_ real: String, _ access: Access, _ interrupter: QueryInterrupter) -> Answer {
        var connection: OpaquePointer?
        // The URI's host, between the second slash and the third, is empty.
        let name = "file://" + Self.escaped(real) + (access == .unlocked ? "?immutable=1" : "")
        let code = sqlite3_open_v2(
            name, &connection,
            SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nil)
        defer { sqlite3_close_v2(connection) }
        guard code == SQLITE_OK else { return answer(of: connection, code) }
        sqlite3_busy_timeout(connection, 0)
        QueryGuard.guardConnection(connection, limits)
        interrupter.begin(connection)
        defer { interrupter.end() }
        return rows(connection)
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
            return .failure(Self.isNoSelect)
        }
        let names = (0..<sqlite3_column_count(statement)).map { String(cString: sqlite3_column_name(statement, $0)) }
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
            return .failure("the query has two columns called \(twice.debugDescription); rename one with AS")
        }
        var rows = RawRowWriter(columns: names, limits)
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                if let problem = rows.append(statement) { return .failure("the database \(path): \(problem)") }
            case SQLITE_DONE: return .rows(rows.images(jsonColumns: jsonColumns))
            case let code: return answer(of: connection, code)
            }
        }
    }

    private func answer(of connection: OpaquePointer?, _ code: Int32) -> Answer {
        let message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        let text = "the database \(path): \(message)"
        switch code & 0xFF {
        case SQLITE_BUSY where message.contains("locked"): return .busy(text + remedy)
        // A database that seems damaged may be half written, and a log that a process left may need a user with more rights.
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_SCHEMA, SQLITE_CANTOPEN,
            SQLITE_READONLY, SQLITE_IOERR:
            return .busy(text)
        // Another query may have used the memory.
        case SQLITE_NOMEM:
            return .busy(
                "the database \(path): the queries of all feeds need more than "
                    + "\(grouped(FeedLimits.queryMemoryMax)) bytes of memory (queryMemoryMax); select less")
        case SQLITE_TOOBIG:
            return .failure(
                "\(text): longer than \(grouped(limits.sourceLengthMax)) bytes (sourceLengthMax); select less")
        case SQLITE_AUTH: return .failure("\(Self.isNoSelect) (\(message))")
        default: return .failure(text)
        }
    }

    private static let isNoSelect = "the query must be one SELECT, which changes nothing"

    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }
}

final class QueryInterrupter: Sendable {
    /// It can be shared, because the pointer is used only between `begin` and `end`, which enclose the query.
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

    func interrupt() {
        running.withLock { running in
            running.isOver = true
            if let connection = running.connection { sqlite3_interrupt(connection) }
        }
    }
}
