import Glibc
import SystemPackage

// The calls that swift-system has not, so that nobody else needs the C library for files.

extension FileDescriptor {
    /// Opens a file. What `open` throws is always an `Errno`, which its type does not say.
    package static func opened(
        _ path: String, _ mode: AccessMode, _ options: OpenOptions = [], permissions: FilePermissions? = nil
    ) throws(Errno) -> FileDescriptor {
        do {
            return try open(path, mode, options: options.union(.closeOnExec), permissions: permissions)
        } catch {
            throw Errno(error)
        }
    }

    /// Writes all of it, however many calls that takes.
    ///
    /// Unlike `writeAll` of swift-system it waits where the file is non-blocking and has no room: a pipe or a terminal is
    /// that for everybody as soon as one of those who have it open made it so.
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

    /// Waits until all that was written to the file is on the disk: fsync(2).
    package func synchronize() throws(Errno) {
        guard fsync(rawValue) == 0 else { throw .last }
    }

    /// Waits until it is on the disk which files a directory has.
    package static func synchronize(directory path: String) throws(Errno) {
        let directory = try opened(path, .readOnly, .directory)
        defer { try? directory.close() }
        try directory.synchronize()
    }

    /// A lock that belongs to the open file, and not to the process: F_OFD_SETLK of fcntl(2).
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

    /// Takes or gives back a lock on some bytes of the file. Throws `EAGAIN` where somebody else has one.
    package func setLock(_ lock: Lock, offset: Int, length: Int) throws(Errno) {
        var description = flock()
        description.l_type = Int16(lock.type)
        description.l_whence = Int16(SEEK_SET)
        description.l_start = off_t(offset)
        description.l_len = off_t(length)
        // The C library has F_OFD_SETLK for those who define _GNU_SOURCE.
        guard fcntl(rawValue, 37, &description) == 0 else { throw .last }
    }
}

extension Errno {
    /// Of the last call that failed on this thread.
    package static var last: Errno { Errno(rawValue: errno) }

    /// What a call of swift-system threw, which is an `Errno`.
    package init(_ error: any Error) {
        guard let error = error as? Errno else { preconditionFailure("swift-system throws no \(error)") }
        self = error
    }

    /// The disk is full, a quota is used up, or the file may not be as long (`ulimit -f`).
    package var isLackOfRoom: Bool { [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains(self) }
}
