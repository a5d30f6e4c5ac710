import Diffable
import Files
import GRDB
import GRDBSQLite
import Glibc
import SystemPackage

// A full disk must not prevent changes that free space. SQLite writes all changes to its log first, and restarts the
// log only after all of it has been moved into the database. On a full disk the database cannot grow. So if the log had
// more pages than fit there, it could neither be moved nor grow, and nothing could be written, not even a deletion.
// Therefore the database file is extended before the log gets pages that have to fit in it, and a change without room
// for that is refused. The last pages of both files are reserved for changes that make no list longer.

extension SQLiteJournal {
    /// The number of pages reserved for such changes, in the database and in the log.
    private static let sparePages = 32
    /// The number of pages by which the database file grows if there is room.
    private static let addedPages = 128

    func reserveDiskSpace(for changes: [ListChange], _ rows: JournalRows) throws(JournalError) {
        let schemas = changes.reduce(0) { $0 + ($1.schemas?.lengthCounted ?? 0) }
        let pages = Self.pages(for: rows.length + schemas) + 2 * changes.count
        let isGrowing = changes.contains(where: growsDatabase)
        try reserveDiskSpace(pages, isGrowing || pages > Self.sparePages / 2 ? .beyondSpare : .ifThereIs)
    }

    /// Reserves room for a part of a checkpoint, in bytes.
    func reserveDiskSpace(forLength length: Int) throws(JournalError) {
        try reserveDiskSpace(Self.pages(for: length), .beyondSpare)
    }

    private enum Reservation {
        /// Keeps the spare pages free.
        case beyondSpare
        case ifThereIs
    }

    private func reserveDiskSpace(_ pages: Int, _ reservation: Reservation) throws(JournalError) {
        pagesFree -= pages
        guard pagesFree < Self.sparePages else { return }
        do throws(JournalError) {
            pagesFree = try extendDatabase(by: pages + Self.sparePages) - pages
        } catch {
            pagesFree = 0
            if reservation == .beyondSpare || error != .noSpace { throw error }
        }
    }

    /// An upper bound of the additional pages for rows of this length, in bytes.
    private static func pages(for length: Int) -> Int { 2 + (length + length / 16) / pageLength }

    private func growsDatabase(_ change: ListChange) -> Bool {
        guard change.state.durability == .durable else { return false }
        switch change.event {
        case .created, .advanced: return true
        case .stepped:
            guard let before = lists[change.state.number]?.state else { return true }
            return change.state.snapshot.lengthCounted > before.snapshot.lengthCounted
        case .unchanged: return change.result != nil || change.schemas != nil
        case .deleted, .undeleted, .purged: return false
        }
    }

    /// Extends the file by the given number of pages. Returns the number of pages it has room for.
    private func extendDatabase(by pages: Int) throws(JournalError) -> Int {
        do {
            return try database.writeWithoutTransaction { database in
                let used = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                let unused = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
                let length = (Int(try Stat(directory.databasePath).size) + Self.pageLength - 1) / Self.pageLength
                let needed = max(used, used - unused + pages)
                if needed <= length { return length - used + unused }
                for wanted in [needed + Self.addedPages, needed] {
                    errno = 0
                    if database.extend(to: wanted * Self.pageLength) { return wanted - used + unused }
                    // SQLite does not report the reason, and some file systems do not set it: 0.
                    let reason = errno
                    guard [0, ENOSPC, EDQUOT, EFBIG].contains(reason) else {
                        throw JournalError.failed(
                            reason: "the database cannot grow: \(String(cString: strerror(reason)))")
                    }
                }
                throw JournalError.noSpace
            }
        } catch {
            throw journalError(error)
        }
    }

    /// Preallocates the start of the log, so that a deletion has room after a startup on a full disk. A failure is ignored.
    func preallocateLog() {
        guard let log = try? FileDescriptor.opened(directory.databasePath + "-wal", .readWrite, .noFollow) else {
            return
        }
        _ = posix_fallocate(log.rawValue, 0, off_t(Self.sparePages * Self.pageLength))
        try? log.close()
    }
}

extension Database {
    /// Allocates disk space through SQLite: closing another descriptor of this file would release its locks.
    fileprivate func extend(to length: Int) -> Bool {
        // Without a chunk size, SQLite ignores the size hint.
        var step = Int32(SQLiteJournal.pageLength)
        var length = sqlite3_int64(length)
        return sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_CHUNK_SIZE, &step) == SQLITE_OK
            && sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_SIZE_HINT, &length) == SQLITE_OK
    }
}
