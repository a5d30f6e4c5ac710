import GRDB
import GRDBSQLite

// Pages of deleted lists are returned to the disk in small steps between commit groups. For that, SQLite has to record
// which page refers to which (`auto_vacuum`), which is decided when a database is created.

extension SQLiteJournal {
    /// The number of free pages that stay for the next changes.
    private static let freePagesKept = 128
    private static let pagesFreedMax = 128

    /// Schedules a vacuum after all other maintenance, which may free pages.
    func considerVacuum() {
        if isVacuumDue { return }
        isVacuumDue = true
        maintenance.append(.vacuum(before: nil))
    }

    private func freePages() throws -> (free: Int, all: Int) {
        try database.writeWithoutTransaction { database in
            func number(_ name: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
            return try (number("freelist_count"), number("page_count"))
        }
    }

    /// Does one step. The first step requires that a fifth of the file is free; the vacuum ends when a step has freed
    /// nothing. The file shrinks when the log is moved into it.
    func vacuum(before: Int?) throws {
        let (free, all) = try freePages()
        let most = before == nil ? max(2 * Self.freePagesKept, all / 5) : Self.freePagesKept
        guard free > most, free < before ?? .max else {
            isVacuumDue = false
            maintenance.removeFirst()
            if before != nil, moveLogIntoDatabase(.truncate) { preallocateLog() }
            // Frees up to 2 MB of cached pages. The next change finds them in the system's cache anyway.
            database.writeWithoutTransaction { _ = sqlite3_db_release_memory($0.sqliteConnection) }
            return
        }
        maintenance[0] = .vacuum(before: free)
        try writing { try $0.vacuum(pages: min(free - Self.freePagesKept, Self.pagesFreedMax)) }
        // The file will be shorter than when this was computed.
        pagesFree = 0
    }
}

extension Database {
    /// Frees at most this number of pages. A GRDB statement would stop after the first page.
    fileprivate func vacuum(pages: Int) throws {
        let result = sqlite3_exec(sqliteConnection, "PRAGMA incremental_vacuum(\(pages))", nil, nil, nil)
        guard result == SQLITE_OK else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: sqlite3_extended_errcode(sqliteConnection)),
                message: String(cString: sqlite3_errmsg(sqliteConnection)))
        }
    }
}
