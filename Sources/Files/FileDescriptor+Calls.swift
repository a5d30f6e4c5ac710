import Glibc
import SystemPackage

// System calls that swift-system lacks, so that other modules need no C library for files.

extension FileDescriptor {
    /// Opens a file. swift-system's `open` always throws an `Errno`, although its type does not show that.
    package static func opened(
        _ path: String, _ mode: AccessMode, _ options: OpenOptions = [], permissions: FilePermissions? = nil
    ) throws(Errno) -> FileDescriptor {
        do {
            return try open(path, mode, options: options.union(.closeOnExec), permissions: permissions)
        } catch {
            throw Errno(error)
        }
    }

    /// Opens a directory, to change its entries by name. If it is not readable, the descriptor cannot be synced.
    package static func openedDirectory(_ path: String) throws(Errno) -> FileDescriptor {
        do throws(Errno) { return try opened(path, .readOnly, .directory) } catch {
            guard error == .permissionDenied else { throw error }
            return try opened(path, .readOnly, [.directory, .pathOnly])
        }
    }

    /// Creates a file in this directory that only its owner can read. Fails if the name exists, even as a symbolic link.
    package func createdFile(_ name: String) throws(Errno) -> FileDescriptor {
        let file = openat(rawValue, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .last }
        return FileDescriptor(rawValue: file)
    }

    /// Renames a file in this directory.
    ///
    /// - Parameter replacing: whether to replace an existing file; otherwise it is an error.
    package func renameFile(_ old: String, to new: String, replacing: Bool) throws(Errno) {
        if replacing {
            guard renameat(rawValue, old, rawValue, new) == 0 else { throw .last }
        } else {
            guard linkat(rawValue, old, rawValue, new, 0) == 0 else { throw .last }
            removeFile(old)
        }
    }

    package func removeFile(_ name: String) { unlinkat(rawValue, name, 0) }

    /// Replaces a file in this directory, or creates it. Others see the old content or all of the new one, also after a power
    /// failure.
    package func replaceFile(_ name: String, with bytes: [UInt8]) throws(Errno) {
        let temporary = ".\(name).new"
        removeFile(temporary)
        do throws(Errno) {
            let file = try createdFile(temporary)
            defer { try? file.close() }
            try file.writeWhole(bytes)
            try file.synchronize()
            try renameFile(temporary, to: name, replacing: true)
            try synchronize()
        } catch {
            removeFile(temporary)
            throw error
        }
    }

    /// Writes all bytes, in as many calls as needed.
    ///
    /// Unlike `writeAll` of swift-system it waits while a non-blocking file is full. A pipe or a terminal becomes non-blocking
    /// for all processes that share it as soon as one of them sets the flag.
    package func writeWhole(_ bytes: [UInt8]) throws(Errno) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress! + start, $0.count - start) }
            if count >= 0 {
                start += count
                continue
            }
            switch Errno.last {
            case .interrupted: continue
            case .resourceTemporarilyUnavailable:
                var room = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
                poll(&room, 1, -1)
            case let error: throw error
            }
        }
    }

    /// Waits until everything written to the file is on disk: fsync(2).
    package func synchronize() throws(Errno) {
        guard fsync(rawValue) == 0 else { throw .last }
    }

    /// Waits until the entries of a directory are on disk.
    package static func synchronize(directory path: String) throws(Errno) {
        let directory = try opened(path, .readOnly, .directory)
        defer { try? directory.close() }
        try directory.synchronize()
    }

    /// A lock of the open file, not of the process: F_OFD_SETLK of fcntl(2).
    package enum Lock: Sendable {
        case shared, exclusive, none

        fileprivate var type: Int32 {
            switch self {
            case .shared: F_RDLCK
            case .exclusive: F_WRLCK
            case .none: F_UNLCK
            }
        }
    }

    /// Sets or releases a lock on some bytes of the file. Throws `EAGAIN` if another open file holds a lock there.
    package func setLock(_ lock: Lock, offset: Int, length: Int) throws(Errno) {
        var description = flock()
        description.l_type = Int16(lock.type)
        description.l_whence = Int16(SEEK_SET)
        description.l_start = off_t(offset)
        description.l_len = off_t(length)
        // The C library defines F_OFD_SETLK only with _GNU_SOURCE.
        guard fcntl(rawValue, 37, &description) == 0 else { throw .last }
    }
}

extension FileDescriptor.OpenOptions {
    /// O_PATH, which Swift does not import: refers to a file without opening it.
    static let pathOnly = Self(rawValue: 0o10_000_000)
}

extension Errno {
    /// The error of the last failed call on this thread.
    package static var last: Errno { Errno(rawValue: errno) }

    /// Casts an error of swift-system, which is always an `Errno`.
    package init(_ error: any Error) {
        guard let error = error as? Errno else { preconditionFailure("swift-system throws no \(error)") }
        self = error
    }

    /// Whether the disk is full, a quota is exceeded, or the file may not get longer (`ulimit -f`).
    package var isLackOfRoom: Bool { [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains(self) }
}
