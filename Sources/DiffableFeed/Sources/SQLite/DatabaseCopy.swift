import DiffableInput
import Files
import Glibc

/// A copy of a database and its log, in a directory that only this user can use. Another program may keep the database locked.
struct DatabaseCopy: ~Copyable {
    let path: String
    private let directory: String

    private static let partMax = 1 << 20

    private init(in directory: String) {
        self.directory = directory
        path = "\(directory)/copy.db"
    }

    /// Copies open files and blocks. `log` is -1 if there is none; `isOver` ends the copying.
    static func make(
        of database: Int32, log: Int32, named name: String, lengthMax: Int, isOver: () -> Bool
    ) throws(FeedError) -> DatabaseCopy {
        let place: FollowedPath
        do throws(UntrustedPath) { place = try FollowedPath(temporaryDirectory) } catch {
            throw FeedError("the database \(name) cannot be copied: \(error.reason(for: temporaryDirectory))")
        }
        Glibc.close(place.descriptor)
        var template = Array("\(place.path)/diffable-feed-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw FeedError("the database \(name) cannot be copied to \(place.path): \(Errno(number: errno))")
        }
        let copy = DatabaseCopy(in: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        var left = lengthMax
        for (file, path) in [(database, copy.path), (log, copy.path + "-wal")] where file >= 0 {
            do throws(Errno) { try Self.copy(file, to: path, &left, isOver) } catch {
                throw FeedError("the database \(name) cannot be copied to \(place.path): \(error)")
            }
        }
        guard left >= 0 else {
            throw FeedError(
                "the database \(name) is longer than \(grouped(lengthMax)) bytes (copyLengthMax), so it is not copied; leave "
                    + "copy out")
        }
        return copy
    }

    deinit {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
        rmdir(directory)
    }

    private static var temporaryDirectory: String {
        guard let path = getenv("TMPDIR").map({ String(cString: $0) }), path.hasPrefix("/") else { return "/var/tmp" }
        return path
    }

    /// Reduces `left` by the number of copied bytes, and stops when it is negative.
    private static func copy(_ file: Int32, to path: String, _ left: inout Int, _ isOver: () -> Bool) throws(Errno) {
        let copy = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw Errno(number: errno) }
        defer { Glibc.close(copy) }
        var bytes = [UInt8](repeating: 0, count: partMax)
        var offset = 0
        while left >= 0, !isOver() {
            let count = pread(file, &bytes, partMax, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Errno(number: errno) }
            if count == 0 { return }
            offset += count
            left -= count
            var written = 0
            while written < count {
                let more = bytes[written..<count].withUnsafeBytes { write(copy, $0.baseAddress, $0.count) }
                if more < 0, errno == EINTR { continue }
                guard more > 0 else { throw Errno(number: errno) }
                written += more
            }
        }
    }
}
