#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Keeps daemons from a database while it is looked at or mended: the lock that SQLite takes, on the bytes where it takes
/// it (`PENDING_BYTE` of sqlite3's os.h), but belonging to an open file, so that no other file that this process closes
/// takes it along. It ends with the process, however that ends.
final class DatabaseLock {
    enum Kind { case reading, writing }

    private let descriptor: Int32

    /// - Parameter directory: for errors.
    init(_ kind: Kind, path: String, directory: String) throws(StoreOpeningError) {
        descriptor = open(path, (kind == .writing ? O_RDWR : O_RDONLY) | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .directoryUnusable(path: directory, reason: "\(path): \(String(cString: strerror(errno)))")
        }
        guard set(kind == .writing ? F_WRLCK : F_RDLCK) else { throw .inUse(path: directory) }
    }

    /// Closing it would leave the lock to a child that another thread has just forked, until that runs its program.
    deinit {
        _ = set(F_UNLCK)
        close(descriptor)
    }

    private func set(_ type: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0000
        lock.l_len = 512
        return fcntl(descriptor, setForOpenFile, &lock) == 0
    }

    /// F_OFD_SETLK of fcntl(2), which is for those who define _GNU_SOURCE.
    private var setForOpenFile: Int32 { 37 }
}
