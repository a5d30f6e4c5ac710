import CSQLiteGuard
import Files
import Glibc
import Synchronization

/// Detects commits in an SQLite database by its files, without SQLite and without a lock.
///
/// If two looks are equal, nothing was committed between them. In WAL mode, each commit changes the header of the index (`-shm`).
/// In all other modes, the database's header counts commits; its size and time of change are compared too.
///
/// The log and the journal are in the directory of the real file, as SQLite expects. Each look resolves the path again, because
/// a link or a directory on the way may have been replaced. Only links of root and of this user are followed. The files are
/// then opened by the resolved path, and no part of that path may have become a link (`O_NOFOLLOW`).
///
/// The descriptors stay open while this process reads any database, because closing any descriptor of a file releases all locks
/// of the process on it (fcntl(2)), including SQLite's. So closing and reading exclude each other (`DatabaseGate`).
struct DatabaseFiles {
    struct Fingerprint: Equatable {
        /// The age in nanoseconds at which a change of the log counts.
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
        fileprivate var index: [UInt8] = []
        /// Whether a hot journal exists, which undoes an incomplete transaction.
        var hasJournal = false
        /// Whether a writer holds SQLite's RESERVED lock. With `journal_mode=memory` and `off`, nothing else reveals a writer.
        fileprivate(set) var isReserved = false

        /// Whether the database's header says that it is in WAL mode.
        var isInWALMode: Bool { header.count == 100 && header[18] == 2 }
        var hasLog: Bool { logSize > 0 }
        /// Whether a process has the database open, or ended without closing it.
        var hasIndex: Bool { !index.isEmpty }
        /// Whether no process is writing. The two copies of the index's header differ during a write.
        var isSettled: Bool { index.prefix(48) == index.dropFirst(48).prefix(48) && !hasJournal && !isReserved }
        /// Whether nothing was committed since a settled look. A commit is written and synced to the log before the index shows
        /// it, so a read between the two would find nothing new. But a process in exclusive mode keeps the index in memory.
        /// Therefore a change of the log counts after the log has not changed for a second.
        func isSame(as settled: Fingerprint?, at now: timespec.Parts) -> Bool {
            var look = self
            look.isReserved = false
            let age = now.nanoseconds - logChanged.nanoseconds
            if let settled, isInWALMode, hasIndex, (0..<Self.logRest).contains(age) {
                (look.logSize, look.logChanged) = (settled.logSize, settled.logChanged)
            }
            return look == settled
        }
        /// The coarseness of the file clock, in nanoseconds.
        private static let tick = 50_000_000

        /// Whether nothing was changed within one tick of the file clock. The files first looked like this at `first`; a file
        /// with a time in the future was changed before that.
        func isOld(at now: timespec.Parts, seen first: timespec.Parts) -> Bool {
            now.nanoseconds - min(max(changed.nanoseconds, logChanged.nanoseconds), first.nanoseconds) > Self.tick
        }
    }

    private let path: String
    private var database: Int32 = -1
    private var index: Int32 = -1
    private var databaseIdentity: FileStatus.Identity?
    private var indexIdentity: FileStatus.Identity?

    /// Whether locks of other processes do not matter, because a copy is read.
    private let ignoresLocks: Bool

    init(_ path: String, ignoringLocks ignoresLocks: Bool = false) {
        self.path = path
        self.ignoresLocks = ignoresLocks
    }

    mutating func fingerprint() throws(FeedError) -> Fingerprint {
        var look = Fingerprint()
        var status = stat()
        let place: FollowedPath
        do throws(UntrustedPath) { place = try FollowedPath(path) } catch {
            guard let number = error.number else { throw FeedError("the database \(path) cannot be read: \(error)") }
            throw unreadable(number)
        }
        // Unlike other descriptors, an O_PATH descriptor can be closed without releasing SQLite's locks.
        defer { Glibc.close(place.descriptor) }
        look.path = place.path
        guard fstat(place.descriptor, &status) == 0 else { throw unreadable(errno) }
        try checkIsFile(status)
        let identity = FileStatus(status).identity
        if database < 0 || identity != databaseIdentity {
            DatabaseGate.close(database)
            database = open_regular_file(look.path, O_RDONLY | O_NOFOLLOW, 0)
            guard database >= 0 else { throw unreadable(errno) }
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
                index = open_regular_file(look.path + "-shm", O_RDONLY | O_NOFOLLOW, 0)
                indexIdentity = identity
            }
            look.index = Self.bytes(of: index, 96)
        }
        look.hasJournal = Self.isHot(look.path + "-journal")
        look.isReserved = !ignoresLocks && !look.isInWALMode && Self.isReserved(database)
        return look
    }

    mutating func close() {
        DatabaseGate.close(database)
        DatabaseGate.close(index)
        (database, index) = (-1, -1)
    }

    /// Copies the files of the last look and blocks.
    func copy(_ look: Fingerprint, lengthMax: Int, isOver: () -> Bool) throws(FeedError) -> DatabaseCopy {
        // Unlike the database, the log is never locked, so its descriptor can be closed at once.
        let log = look.hasLog ? open_regular_file(look.path + "-wal", O_RDONLY | O_NOFOLLOW, 0) : -1
        defer { if log >= 0 { Glibc.close(log) } }
        return try .make(of: database, log: log, named: path, lengthMax: lengthMax, isOver: isOver)
    }

    private func unreadable(_ number: Int32) -> FeedError {
        FeedError(
            "the database \(path) cannot be read: \(Errno(number: number)); the feed tries again, unless it runs with --once"
        )
    }

    private func checkIsFile(_ status: stat) throws(FeedError) {
        guard let kind = FileStatus.kind(of: status) else { return }
        throw FeedError("the database \(path) is \(kind), not a regular file")
    }

    private static func bytes(of descriptor: Int32, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(descriptor, &bytes, count, 0)
        return read > 0 ? Array(bytes.prefix(read)) : []
    }

    /// Whether another process holds SQLite's RESERVED lock (sqlite.org/lockingv3.html). Takes no lock.
    private static func isReserved(_ database: Int32) -> Bool {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_RDLCK), Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (0x4000_0001, 1)
        return fcntl(database, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    /// Whether the journal has content. An empty journal, or one that begins with zeros, belongs to a finished transaction.
    private static func isHot(_ journal: String) -> Bool {
        let descriptor = open_regular_file(journal, O_RDONLY | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { return false }
        // A journal is never locked, so its descriptor can be closed at once.
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

/// Allows any number of reads through SQLite at a time, and closes other descriptors of databases only when there is none.
enum DatabaseGate {
    private struct State {
        var readers = 0
        var unused: [Int32] = []
    }

    private static let state = Mutex(State())

    static func withReader<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
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
