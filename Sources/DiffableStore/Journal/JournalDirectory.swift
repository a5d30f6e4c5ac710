import Files
import GRDB
import GRDBSQLite
import Glibc
import SystemPackage

struct JournalDirectory {
    let path: String

    var databasePath: String { path + "/lists.sqlite" }

    /// Creates the directory if it is missing, with access for its owner only, and opens the database. SQLite's lock
    /// keeps other processes out until this process ends in any way.
    /// - Parameter progress: advances during long SQLite statements.
    func openDatabase(moving progress: WorkProgress? = nil) throws(StoreOpeningError) -> DatabaseQueue {
        try checkTrust()
        try checkOwners()
        try checkPresence()
        try makeFile()
        return try detectingDamage {
            let database = try DatabaseQueue(path: databasePath, configuration: configuration(moving: progress))
            try database.writeWithoutTransaction(prepare)
            return database
        }
    }

    private func detectingDamage<R>(_ body: () throws -> R) throws(StoreOpeningError) -> R {
        do throws(StoreOpeningError) {
            return try translatingOpeningErrors(body)
        } catch {
            // `--repair` must not touch another program's database.
            if case .foreign = error, isDiffabledDatabase() {
                throw .unreadable(path: databasePath, reason: "its first page is damaged")
            }
            throw error
        }
    }

    /// Translates SQLite's errors into errors of opening the directory.
    func translatingOpeningErrors<R>(_ body: () throws -> R) throws(StoreOpeningError) -> R {
        do {
            return try body()
        } catch let error as StoreOpeningError {
            throw error
        } catch let error as DatabaseError {
            throw openingError(error)
        } catch {
            throw .unreadable(path: databasePath, reason: "\(error)")
        }
    }

    /// Creates missing directories, and refuses a directory that another user controls.
    func checkTrust() throws(StoreOpeningError) {
        do throws(UntrustedPath) {
            let directory = try TrustedPath(directory: path, isShared: false, missing: .allMade(0o700))
            for name in Self.fileNames { try directory.check(file: name) }
        } catch { throw .directoryUnusable(path: path, reason: error.reason(for: path)) }
    }

    /// Refuses files that root created, for example from a backup, and that only root can open.
    private func checkOwners() throws(StoreOpeningError) {
        let files = Self.fileNames.map { path + "/" + $0 }.filter { file in
            var status = stat()
            return lstat(file, &status) == 0 && status.st_uid != geteuid() && access(file, R_OK | W_OK) != 0
        }
        if !files.isEmpty { throw .notOwned(files: files, directory: path) }
    }

    private static let fileNames = ["", "-wal", "-shm", "-journal"].map { "lists.sqlite" + $0 } + ["witness"]

    /// Refuses a missing database if a log or witness exists: SQLite would create an empty one and delete the log.
    func checkPresence() throws(StoreOpeningError) {
        let length = (try? Stat(databasePath))?.size
        guard length ?? 0 == 0 else { return }
        let absence = length == nil ? "there is no such file" : "the file is empty"
        if let log = try? Stat(databasePath + "-wal"), log.size > 0 {
            throw .missing(path: databasePath, reason: "\(absence), but its log (-wal) is not empty")
        }
        if Witness.hasAcknowledgedLists(in: path) {
            throw .missing(
                path: databasePath, reason: "\(absence), but \(Witness.path(in: path)) says that there were lists")
        }
    }

    /// Creates the database file with access for its owner only. SQLite would make it readable for all users. The log
    /// inherits the permissions of this file.
    func makeFile() throws(StoreOpeningError) {
        do throws(Errno) {
            let file = try FileDescriptor.opened(
                databasePath, .readWrite, [.create, .noFollow], permissions: .ownerReadWrite)
            try? file.close()
        } catch {
            throw .directoryUnusable(path: path, reason: "\(error)")
        }
    }

    private func configuration(moving progress: WorkProgress?) -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .immediateError
        configuration.label = "diffabled.database"
        // Has to precede any read. The log's index is then in this process's memory, and transactions take no locks.
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            // A foreign database's schema may call functions.
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            if let progress { database.reportProgress(to: progress) }
        }
        return configuration
    }

    private func prepare(_ database: Database) throws {
        try checkSchema(database)
        let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw StoreOpeningError.unreadable(
                path: databasePath,
                reason:
                    "its file system does not support SQLite's write-ahead log, so move the directory to another one")
        }
        // A database that only a later SQLite can write is refused here, before the first commit group fails.
        try database.inTransaction(.immediate) { .rollback }
        // GRDB may lower this setting for a database with a write-ahead log, and a power failure would then lose
        // acknowledged transactions. So it is set last, and verified.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try JournalDirectory.assertSynchronous(database)
        // Otherwise SQLite would checkpoint its log within a commit and not report a failure of that.
        try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        // In bytes. The log file is truncated to this length after a large transaction.
        try database.execute(sql: "PRAGMA journal_size_limit = \(16 << 20)")
        // Debian's SQLite overwrites deleted data with zeros, and a checkpoint deletes as much as it writes. FAST
        // limits this to pages that are written anyway.
        try database.execute(sql: "PRAGMA secure_delete = FAST")
    }

    /// Checks that every commit is synced before it returns.
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
            // Debian's SQLite would otherwise move pages in each deletion (`SQLiteJournal+Vacuum.swift`).
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try database.inTransaction(.immediate) {
                try database.execute(sql: JournalSchema.tables)
                return .commit
            }
            return
        }
        guard applicationID == JournalSchema.applicationID else { throw StoreOpeningError.foreign(path: databasePath) }
        if let unexpectedObject = try JournalSchema.unexpectedObject(in: database) {
            throw StoreOpeningError.unreadable(
                path: databasePath, reason: "it has \(unexpectedObject), which diffabled never makes")
        }
        guard version == JournalSchema.version else {
            throw StoreOpeningError.otherSchema(path: databasePath, version: version, known: JournalSchema.version)
        }
    }

    private func openingError(_ error: DatabaseError) -> StoreOpeningError {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: .inUse(path: path)
        case .SQLITE_NOTADB: .foreign(path: databasePath)
        case .SQLITE_FULL: .directoryUnusable(path: path, reason: "its disk is full (free some space)")
        default: .unreadable(path: databasePath, reason: error.message ?? "\(error.resultCode)")
        }
    }
}

extension Database {
    /// Makes all statements report progress. `progress` has to live as long as the database, whose configuration retains it.
    fileprivate func reportProgress(to progress: WorkProgress) {
        let instructionsBetween: Int32 = 100
        sqlite3_progress_handler(
            sqliteConnection, instructionsBetween,
            { progress in
                if let progress { Unmanaged<WorkProgress>.fromOpaque(progress).takeUnretainedValue().noteProgress() }
                return 0
            }, Unmanaged.passUnretained(progress).toOpaque())
    }
}
