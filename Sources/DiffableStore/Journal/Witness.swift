// The witness: a file of 64 bytes beside the database that says what the database has to be.
//
// SQLite recovers in silence: when its log is lost, or ends too early, or the file is an older copy, it opens what is
// there as if nothing had been after it. A list would then go on from an earlier revision, and the next change would give
// a second state to a number that somebody knows already. So what was acknowledged is written down a second time: one
// number that stands for all lists (`ListsDigest`). It is written before each group, together with what the group is
// going to make of it, and again when the group is on disk, before anybody is answered. A process that is killed at any
// point leaves a witness that has the database's number as one of the two.
//
// The witness is not synced with each group: that would cost as much as the group. So it proves nothing after the machine
// has gone down, unless the daemon was stopped first: then it was synced and says so. Nor does it prove anything when it
// is not the file that the daemon wrote last but a copy, for a copy of the directory has a witness that fits. It is no copy
// when it has the inode and the ctime that are written down in it: the kernel sets the ctime at each write, and nobody
// else can.
//
// Where the witness does not fit, or proves nothing, every durable list gets a new epoch: whoever resumes gets a reset.

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// What a witness says.
struct Testimony: Equatable {
    /// Of the machine's run in which it was written; nil if that is not known.
    var boot: UInt64?
    /// What has been acknowledged.
    var acknowledged: ListsDigest
    /// What the group that was being written makes of it; the same when none was.
    var underway: ListsDigest
    /// Whether the database was closed after all of it.
    var isClosed = false

    /// The machine's run, by the kernel's number for it.
    static var currentBoot: UInt64? {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { room in
            let count = read(descriptor, room.baseAddress, room.count)
            guard count > 0 else { return nil }
            let sum = checksum(UnsafeRawBufferPointer(rebasing: room[..<count]))
            return UInt64(bitPattern: sum) | 1
        }
    }
}

/// What the witness says of the database that was found.
enum Finding: Equatable {
    /// It has all that was acknowledged, and nothing else.
    case proven
    /// It may be that, but nothing shows it.
    case unproven(reason: String)
    /// It is not that.
    case lost
}

/// The file. Used on one thread.
final class Witness {
    private let descriptor: Int32
    private let inode: UInt64

    static func path(in directory: String) -> String { directory + "/witness" }

    private static let magic: UInt64 = 0x3174_6977_6666_6964  // "diffwit1"
    private static let words = 8
    static let length = words * 8

    /// In nanoseconds: how much later than the time in it the file may say that it was written.
    private static let delayMax = 100_000_000
    /// In nanoseconds: how much earlier. Clocks of files are coarse; on some file systems they count seconds.
    private static let earlinessMax = 3_000_000_000

    /// Opens the file, making it when it is not there.
    init(in directory: String) throws(SystemError) {
        descriptor = open(Witness.path(in: directory), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError() }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let error = SystemError()
            close(descriptor)
            throw error
        }
        inode = UInt64(status.st_ino)
    }

    deinit { close(descriptor) }

    /// Writes it over what was said. It is in the system's hands then, which outlives this process, and not on disk.
    ///
    /// It is written again if there was a pause between looking at the clock and the end of writing: one that ended
    /// there would look like a copy.
    func write(_ testimony: Testimony) throws(SystemError) {
        for _ in 0..<3 {
            let time = Witness.clock()
            try write(testimony, time)
            if Witness.clock() - time < Witness.delayMax / 2 { return }
        }
    }

    private func write(_ testimony: Testimony, _ time: Int) throws(SystemError) {
        let count = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Witness.words) { words in
            words.initialize(repeating: 0)
            words[0] = Witness.magic.littleEndian
            words[1] = (testimony.boot ?? 0).littleEndian
            words[2] = testimony.acknowledged.value.littleEndian
            words[3] = testimony.underway.value.littleEndian
            words[4] = UInt64(testimony.isClosed ? 1 : 0).littleEndian
            words[5] = UInt64(bitPattern: Int64(time)).littleEndian
            words[6] = inode.littleEndian
            words[7] = UInt64(bitPattern: Witness.sum(UnsafeRawBufferPointer(words))).littleEndian
            return pwrite(descriptor, words.baseAddress, Witness.length, 0)
        }
        guard count == Witness.length else { throw SystemError(code: count < 0 ? errno : ENOSPC) }
    }

    private static func sum(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        checksum(UnsafeRawBufferPointer(rebasing: bytes[..<(length - 8)]))
    }

    /// Returns when it is on disk, also that it is there.
    func synchronize(in directory: String) throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw SystemError() }
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw SystemError() }
        defer { close(parent) }
        guard fsync(parent) == 0 else { throw SystemError() }
    }

    /// Since 1970, in nanoseconds.
    private static func clock() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return nanoseconds(time)
    }

    private static func nanoseconds(_ time: timespec) -> Int { time.tv_sec * 1_000_000_000 + time.tv_nsec }
}

// MARK: - At the start

extension Witness {
    /// What the witness in a directory says of a database with these lists.
    static func finding(in directory: String, about lists: ListsDigest) -> Finding {
        let testimony: Testimony
        switch read(in: directory) {
        case .success(let read): testimony = read
        case .failure(let objection): return .unproven(reason: objection.reason)
        }
        if !testimony.isClosed {
            guard let boot = Testimony.currentBoot, testimony.boot == boot else {
                return .unproven(reason: "the machine went down before the daemon had stopped")
            }
        }
        return lists == testimony.acknowledged || lists == testimony.underway ? .proven : .lost
    }

    /// Why a witness counts for nothing.
    struct Objection: Error {
        let reason: String
    }

    static func read(in directory: String) -> Result<Testimony, Objection> {
        let path = path(in: directory)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            return .failure(Objection(reason: "\(path) cannot be read: \(SystemError())"))
        }
        defer { close(descriptor) }
        var status = stat()
        let isRead = fstat(descriptor, &status) == 0
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: words) { words in
            words.initialize(repeating: 0)
            guard isRead, pread(descriptor, words.baseAddress, length, 0) == length,
                UInt64(littleEndian: words[0]) == magic,
                UInt64(littleEndian: words[7]) == UInt64(bitPattern: sum(UnsafeRawBufferPointer(words)))
            else { return .failure(Objection(reason: "\(path) is damaged")) }
            let delay = nanoseconds(status.st_ctim) - Int(truncatingIfNeeded: UInt64(littleEndian: words[5]))
            let isSameFile = UInt64(littleEndian: words[6]) == UInt64(status.st_ino)
            guard isSameFile, (-earlinessMax...delayMax).contains(delay) else {
                return .failure(Objection(reason: "\(path) was copied or changed since the daemon wrote it"))
            }
            let boot = UInt64(littleEndian: words[1])
            return .success(
                Testimony(
                    boot: boot == 0 ? nil : boot, acknowledged: ListsDigest(value: UInt64(littleEndian: words[2])),
                    underway: ListsDigest(value: UInt64(littleEndian: words[3])),
                    isClosed: UInt64(littleEndian: words[4]) == 1))
        }
    }
}

/// An error of the system, as `errno` has it.
struct SystemError: Error, CustomStringConvertible {
    var code: Int32 = errno

    var description: String { String(cString: strerror(code)) }
}
