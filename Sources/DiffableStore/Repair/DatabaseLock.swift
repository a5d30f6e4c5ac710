import Files
import SystemPackage

/// Keeps daemons from opening a database while it is checked or repaired. It is SQLite's own lock, on the bytes that
/// SQLite uses (`PENDING_BYTE` in sqlite3's os.h). It belongs to the open file and not to the process, so closing
/// another descriptor of the file does not release it. It ends with the process in any case.
final class DatabaseLock {
    enum Kind { case reading, writing }

    private let file: FileDescriptor

    /// - Parameter directory: for errors.
    init(_ kind: Kind, path: String, directory: String) throws(StoreOpeningError) {
        do throws(Errno) { file = try .opened(path, kind == .writing ? .readWrite : .readOnly, .noFollow) } catch {
            throw .directoryUnusable(path: directory, reason: "\(path): \(error)")
        }
        do throws(Errno) { try set(kind == .writing ? .exclusive : .shared) } catch { throw .inUse(path: directory) }
    }

    /// Unlocks before closing, because a child that another thread has just forked keeps the lock until it executes its program.
    deinit {
        try? set(.none)
        try? file.close()
    }

    private func set(_ lock: FileDescriptor.Lock) throws(Errno) {
        try file.setLock(lock, offset: 0x4000_0000, length: 512)
    }
}
