import Glibc
import Synchronization

/// The files of an SQLite database, looked at without SQLite and without a lock.
///
/// Two looks that are the same had no commit between them: in WAL mode the index (`-shm`) has a header that each commit
/// changes, and in all other modes the header of the database counts them, beside its size and the time of its last change.
///
/// The log and the journal lie in the directory of the real file, as for SQLite. Each look resolves the path again, because a link or
/// a directory on the way may have been replaced.
///
/// The descriptors stay open as long as anybody in this process reads a database: closing any descriptor of a file gives up the
/// locks that a process has on it (fcntl(2)), also those of SQLite. So closing and reading exclude each other (`DatabaseGate`).
struct DatabaseFiles {
    struct Look: Equatable {
        /// In nanoseconds.
        private static let logRest = 1_000_000_000

        /// The database's path without symbolic links.
        var path = ""
        fileprivate var identity: FileStatus.Identity?
        fileprivate var size: Int = 0
        fileprivate var changed = timespec.Parts()
        /// The first 100 bytes of the database.
        fileprivate var header: [UInt8] = []
        fileprivate var logSize: Int = 0
        fileprivate var logChanged = timespec.Parts()
        /// Both copies of the index's header.
        fileprivate var index: [UInt8] = []
        /// Whether a journal is there that says how to undo what is half written.
        var hasJournal = false
        /// Whether somebody has begun to write without a log. Of `journal_mode=memory` and `off` nothing else shows it.
        fileprivate var isReserved = false

        /// Whether the database's header says that it has a log.
        var isInWALMode: Bool { header.count == 100 && header[18] == 2 }
        /// Whether a log is there from which something has to be read.
        var hasLog: Bool { logSize > 0 }
        /// Whether somebody has the database open, or had and went without closing it.
        var hasIndex: Bool { !index.isEmpty }
        /// The two copies are the same unless somebody writes at this moment.
        var isSettled: Bool { index.prefix(48) == index.dropFirst(48).prefix(48) && !hasJournal && !isReserved }
        /// Whether nothing was committed since a look that was settled.
        ///
        /// A commit is written to the log, which is synced, before the index says so. Who reads between the two reads for nothing,
        /// and rests when there is something to read. But who has the database to himself keeps the index in memory. So what was
        /// written to the log counts once it has rested for a second.
        func isSame(as settled: Look?, at now: timespec.Parts) -> Bool {
            var look = self
            look.isReserved = false
            let age = now.nanoseconds - logChanged.nanoseconds
            if let settled, isInWALMode, hasIndex, (0..<Self.logRest).contains(age) {
                (look.logSize, look.logChanged) = (settled.logSize, settled.logChanged)
            }
            return look == settled
        }
        /// Nanoseconds in which the clock of files may stand still.
        private static let tick = 50_000_000

        /// Whether nothing was changed within a tick of the clock of files.
        ///
        /// - Parameter first: when the files first looked like this. A file with a time in the future was changed before that.
        func isOld(at now: timespec.Parts, seen first: timespec.Parts) -> Bool {
            now.nanoseconds - min(changed.nanoseconds, first.nanoseconds) > Self.tick
        }
    }

    private let path: String
    private var database: Int32 = -1
    private var index: Int32 = -1
    /// The files of the two descriptors.
    private var databaseIdentity: FileStatus.Identity?
    private var indexIdentity: FileStatus.Identity?

    init(_ path: String) { self.path = path }

    /// Throws when there is no database, or it cannot be read.
    mutating func look() throws(FeedError) -> Look {
        var look = Look()
        var status = stat()
        guard let real = realpath(path, nil) else { throw unreadable() }
        look.path = String(cString: real)
        free(real)
        guard stat(look.path, &status) == 0 else { throw unreadable() }
        let identity = FileStatus(status).identity
        if database < 0 || identity != databaseIdentity {
            DatabaseGate.close(database)
            database = open(look.path, O_RDONLY | O_CLOEXEC)
            guard database >= 0 else { throw unreadable() }
            databaseIdentity = identity
        }
        look.identity = identity
        (look.size, look.changed) = (Int(status.st_size), .init(status.st_mtim))
        look.header = Self.bytes(of: database, 100)
        if stat(look.path + "-wal", &status) == 0 {
            (look.logSize, look.logChanged) = (Int(status.st_size), .init(status.st_mtim))
        }
        if look.isInWALMode, stat(look.path + "-shm", &status) == 0 {
            let identity = FileStatus(status).identity
            if index < 0 || identity != indexIdentity {
                DatabaseGate.close(index)
                index = open(look.path + "-shm", O_RDONLY | O_CLOEXEC)
                indexIdentity = identity
            }
            look.index = Self.bytes(of: index, 96)
        }
        look.hasJournal = Self.isHot(look.path + "-journal")
        look.isReserved = !look.isInWALMode && Self.isReserved(database)
        return look
    }

    mutating func close() {
        DatabaseGate.close(database)
        DatabaseGate.close(index)
        (database, index) = (-1, -1)
    }

    private func unreadable() -> FeedError {
        FeedError("the database \(path) cannot be read: \(Errno(number: errno))")
    }

    private static func bytes(of descriptor: Int32, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(descriptor, &bytes, count, 0)
        return read > 0 ? Array(bytes.prefix(read)) : []
    }

    /// Asks for SQLite's RESERVED lock (sqlite.org/lockingv3.html), and takes none.
    private static func isReserved(_ database: Int32) -> Bool {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_RDLCK), Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (0x4000_0001, 1)
        return fcntl(database, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    /// One that is empty, or begins with zeros, is a rest of a transaction that has ended.
    private static func isHot(_ journal: String) -> Bool {
        let descriptor = open(journal, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        // Nobody has locks on a journal.
        defer { Glibc.close(descriptor) }
        return bytes(of: descriptor, 8).contains { $0 != 0 }
    }
}

extension timespec {
    struct Parts: Equatable {
        let nanoseconds: Int

        init(nanoseconds: Int = 0) { self.nanoseconds = nanoseconds }

        init(_ time: timespec) { nanoseconds = time.tv_sec * 1_000_000_000 + time.tv_nsec }

        static func now() -> Parts {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Parts(time)
        }
    }
}

/// Lets many read databases by SQLite at a time, and closes other descriptors of databases only while nobody does.
enum DatabaseGate {
    private struct State {
        var readers = 0
        var unused: [Int32] = []
    }

    private static let state = Mutex(State())

    static func reading<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        state.withLock { $0.readers += 1 }
        defer {
            state.withLock { state in
                state.readers -= 1
                closeUnused(&state)
            }
        }
        return try body()
    }

    static func close(_ descriptor: Int32) {
        guard descriptor >= 0 else { return }
        state.withLock { state in
            state.unused.append(descriptor)
            closeUnused(&state)
        }
    }

    private static func closeUnused(_ state: inout State) {
        guard state.readers == 0 else { return }
        for descriptor in state.unused { Glibc.close(descriptor) }
        state.unused = []
    }
}
