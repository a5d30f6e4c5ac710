import GRDB
import GRDBSQLite

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The state directory and the database in it.
struct JournalDirectory {
    let path: String

    var databasePath: String { path + "/lists.sqlite" }

    /// Makes the directory if it is not there, for its owner alone, and opens the database, which then nobody else
    /// can open: the lock is SQLite's own and goes with the process, however that ends.
    ///
    /// - Parameter progress: moves while SQLite is at a long statement.
    func openDatabase(moving progress: WorkProgress? = nil) throws(StoreOpeningError) -> DatabaseQueue {
        try makeDirectory()
        try makeFile()
        try checkLog()
        do {
            let database = try DatabaseQueue(path: databasePath, configuration: configuration(moving: progress))
            try database.writeWithoutTransaction(prepare)
            return database
        } catch let error as StoreOpeningError {
            throw error
        } catch let error as DatabaseError {
            throw openingError(error)
        } catch {
            throw .unreadable(path: databasePath, reason: "\(error)")
        }
    }

    /// With those above it that are not there.
    private func makeDirectory() throws(StoreOpeningError) {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            guard mkdir(String(path[..<end]), 0o700) != 0, errno != EEXIST else { continue }
            // One that others own need not let us make anything in it, so long as the next is there.
            let reason = String(cString: strerror(errno))
            var status = stat()
            guard stat(path, &status) == 0 else { throw .directoryUnusable(path: path, reason: reason) }
        }
    }

    /// SQLite would make the file readable for everybody; its log takes the permissions from the file.
    private func makeFile() throws(StoreOpeningError) {
        let descriptor = open(databasePath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .directoryUnusable(path: path, reason: String(cString: strerror(errno)))
        }
        close(descriptor)
    }

    /// SQLite deletes the log of a database that is empty.
    private func checkLog() throws(StoreOpeningError) {
        var database = stat()
        var log = stat()
        guard stat(databasePath, &database) == 0, database.st_size == 0, stat(databasePath + "-wal", &log) == 0,
            log.st_size > 0
        else { return }
        throw .unreadable(path: databasePath, reason: "it is empty, and its log is not")
    }

    private func configuration(moving progress: WorkProgress?) -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .immediateError
        configuration.label = "diffabled.database"
        // Before anything is read: then the index of the log is in this process's memory, with no file to share it
        // by, and no lock is taken or given for a transaction.
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            if let progress { database.move(progress) }
        }
        return configuration
    }

    private func prepare(_ database: Database) throws {
        try checkSchema(database)
        let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw StoreOpeningError.unreadable(path: databasePath, reason: "its file system has no write-ahead log")
        }
        // GRDB, or another who opens a database with a write-ahead log, may have lowered this, and then a power cut
        // takes acknowledged transactions along. So it is set last, and read back.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try JournalDirectory.assertSynchronous(database)
        // SQLite would move the log's pages into the database within a commit, and keep quiet when that fails.
        try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        // The log is cut back to this after a large transaction, in bytes.
        try database.execute(sql: "PRAGMA journal_size_limit = \(16 << 20)")
        // Debian's SQLite writes zeros over all that is deleted, and a checkpoint deletes as much as it writes. This
        // keeps it to the pages that are written anyway.
        try database.execute(sql: "PRAGMA secure_delete = FAST")
    }

    /// Every commit must be synced before it returns.
    static func assertSynchronous(_ database: Database) throws {
        let full = 2
        let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous")
        precondition(synchronous == full, "commits must be synced; PRAGMA synchronous is \(synchronous ?? -1), not 2")
    }

    private func checkSchema(_ database: Database) throws {
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let applicationID = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        if version == 0 && applicationID == 0 && tables == 0 {
            // Debian's SQLite keeps track of every page's parent otherwise, to move pages about after each deletion.
            // Pages that are free are used again.
            try database.execute(sql: "PRAGMA auto_vacuum = NONE")
            try database.inTransaction(.immediate) {
                try database.execute(sql: JournalSchema.tables)
                return .commit
            }
            return
        }
        guard applicationID == JournalSchema.applicationID else { throw StoreOpeningError.foreign(path: databasePath) }
        guard version <= JournalSchema.version else {
            throw StoreOpeningError.schemaTooNew(path: databasePath, version: version, known: JournalSchema.version)
        }
        if version == JournalSchema.versionWithoutAccess {
            try database.inTransaction(.immediate) {
                try database.execute(sql: JournalSchema.additionOfAccess)
                return .commit
            }
            return
        }
        guard version == JournalSchema.version else {
            throw StoreOpeningError.schemaTooOld(path: databasePath, version: version, known: JournalSchema.version)
        }
    }

    func openingError(_ error: DatabaseError) -> StoreOpeningError {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: .inUse(path: path)
        case .SQLITE_NOTADB: .foreign(path: databasePath)
        case .SQLITE_FULL: .directoryUnusable(path: path, reason: "its disk is full")
        default: .unreadable(path: databasePath, reason: error.message ?? "\(error.resultCode)")
        }
    }
}

extension Database {
    /// From now on a statement that is carried out moves this, every few rows. It must live as long as the database, whose
    /// configuration holds it.
    fileprivate func move(_ progress: WorkProgress) {
        let instructionsBetween: Int32 = 100
        sqlite3_progress_handler(
            sqliteConnection, instructionsBetween,
            { progress in
                if let progress { Unmanaged<WorkProgress>.fromOpaque(progress).takeUnretainedValue().move() }
                return 0
            }, Unmanaged.passUnretained(progress).toOpaque())
    }
}
