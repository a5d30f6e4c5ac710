// The witness: a file of 64 bytes next to the database that records which state the database must have.
//
// SQLite reports no error if its log is missing or ends too early, or if the file is an older copy. A list would then
// continue from an earlier revision, and the next change would assign a second state to a revision that some client
// already has. So a digest of all acknowledged lists (`ListsDigest`) is stored a second time. It is written before each
// commit group, together with the digest after the group, and again when the group is on disk, before anything is
// acknowledged. So if the process is killed at any point, one of the two digests matches the database.
//
// The witness is not synced with each group, because that would cost as much as the group itself. So it proves nothing
// after a power failure or system crash, unless the daemon was stopped first: a stop syncs the witness and marks it as
// closed. A copy proves nothing either, because a copied directory has a matching witness. The witness is the original if
// it has the inode and the ctime that are stored in it: the kernel sets the ctime at each write, and no program can set it.
//
// If the witness does not match or proves nothing, every durable list gets a new epoch, and clients that resume get a reset.

import Files
import Glibc
import SystemPackage

struct WitnessRecord: Equatable {
    /// The machine's boot in which it was written. Nil if unknown.
    var boot: UInt64?
    var acknowledged: ListsDigest
    /// The lists after the group that was being written. Equal to `acknowledged` if there was none.
    var underway: ListsDigest
    /// Whether the database was closed afterwards.
    var isClosed = false

    /// A hash of the kernel's boot id, never 0.
    static var currentBoot: UInt64? {
        guard let file = try? FileDescriptor.opened("/proc/sys/kernel/random/boot_id", .readOnly) else { return nil }
        defer { try? file.close() }
        return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { room in
            guard let count = try? file.read(into: room), count > 0 else { return nil }
            let sum = checksum(UnsafeRawBufferPointer(rebasing: room[..<count]))
            return UInt64(bitPattern: sum) | 1
        }
    }
}

enum WitnessVerdict: Equatable {
    /// The database has everything that was acknowledged, and nothing else.
    case proven
    /// The database may be complete, but nothing proves it.
    case unproven(reason: String)
    /// The database does not match.
    case lost
}

/// The witness file. Used on one thread.
final class Witness {
    private let descriptor: FileDescriptor
    private let inode: UInt64

    static func path(in directory: String) -> String { directory + "/witness" }

    private static let magic: UInt64 = 0x3174_6977_6666_6964  // "diffwit1"
    private static let words = 8
    static let length = words * 8

    /// The maximum delay of the file's ctime after the time stored in it, in nanoseconds.
    private static let delayMax = 100_000_000
    /// The maximum by which the ctime may be earlier, in nanoseconds. Some file systems store only seconds.
    private static let earlinessMax = 3_000_000_000

    convenience init(in directory: String) throws(Errno) { try self.init(path: Witness.path(in: directory)) }

    init(path: String) throws(Errno) {
        descriptor = try .opened(path, .readWrite, [.create, .noFollow], permissions: .ownerReadWrite)
        do throws(Errno) {
            inode = UInt64(try descriptor.stat().inode.rawValue)
        } catch {
            try? descriptor.close()
            throw error
        }
    }

    deinit { try? descriptor.close() }

    /// Replaces the contents, without a sync. They survive this process but not a power failure.
    ///
    /// Repeats the write if too much time passed since the clock was read. Otherwise the stored time and the ctime
    /// would differ as in a copy.
    func write(_ record: WitnessRecord) throws(Errno) {
        for _ in 0..<3 {
            let time = Witness.clock()
            try write(record, time)
            if Witness.clock() - time < Witness.delayMax / 2 { return }
        }
    }

    private func write(_ record: WitnessRecord, _ time: Int) throws(Errno) {
        let result = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Witness.words) { words in
            words.initialize(repeating: 0)
            words[0] = Witness.magic.littleEndian
            words[1] = (record.boot ?? 0).littleEndian
            words[2] = record.acknowledged.value.littleEndian
            words[3] = record.underway.value.littleEndian
            words[4] = UInt64(record.isClosed ? 1 : 0).littleEndian
            words[5] = UInt64(bitPattern: Int64(time)).littleEndian
            words[6] = inode.littleEndian
            words[7] = UInt64(bitPattern: Witness.sum(UnsafeRawBufferPointer(words))).littleEndian
            return Result { () throws(Errno) in try write(UnsafeRawBufferPointer(words)) }
        }
        try result.get()
    }

    /// Writes all bytes. A short write is continued, and the next one reports the error.
    private func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count: Int
            do { count = try descriptor.write(toAbsoluteOffset: Int64(written), rest) } catch { throw Errno(error) }
            if count == 0 { throw .noSpace }
            written += count
        }
    }

    private static func sum(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        checksum(UnsafeRawBufferPointer(rebasing: bytes[..<(length - 8)]))
    }

    /// Waits until the file and its directory entry are on disk.
    func synchronize(in directory: String) throws(Errno) {
        try descriptor.synchronize()
        try FileDescriptor.synchronize(directory: directory)
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
    static func verdict(in directory: String, about lists: ListsDigest) -> WitnessVerdict {
        let record: WitnessRecord
        switch read(in: directory) {
        case .success(let read): record = read
        case .failure(let rejection): return .unproven(reason: rejection.reason)
        }
        if !record.isClosed {
            guard let boot = WitnessRecord.currentBoot, record.boot == boot else {
                return .unproven(reason: "the machine went down before the daemon had stopped")
            }
        }
        return lists == record.acknowledged || lists == record.underway ? .proven : .lost
    }

    /// Whether the witness says that lists have been acknowledged. A copied witness counts too, because a directory may
    /// have been copied without its database.
    static func hasAcknowledgedLists(in directory: String) -> Bool {
        let record =
            switch read(in: directory) {
            case .success(let record): record as WitnessRecord?
            case .failure(let rejection): rejection.record
            }
        return record.map { $0.acknowledged != ListsDigest() } ?? false
    }

    /// Why a witness proves nothing.
    struct Rejection: Error {
        let reason: String
        /// The contents, if the file is a copy.
        var record: WitnessRecord?
    }

    static func read(in directory: String) -> Result<WitnessRecord, Rejection> {
        let path = path(in: directory)
        let file: FileDescriptor
        do throws(Errno) { file = try .opened(path, .readOnly, .noFollow) } catch {
            return .failure(Rejection(reason: "\(path) cannot be read: \(error)"))
        }
        defer { try? file.close() }
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: words) { words in
            words.initialize(repeating: 0)
            guard let status = try? file.stat(),
                (try? file.read(fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(words))) == length,
                UInt64(littleEndian: words[0]) == magic,
                UInt64(littleEndian: words[7]) == UInt64(bitPattern: sum(UnsafeRawBufferPointer(words)))
            else { return .failure(Rejection(reason: "\(path) is damaged")) }
            let delay = nanoseconds(status.st_ctim) - Int(truncatingIfNeeded: UInt64(littleEndian: words[5]))
            let isSameFile = UInt64(littleEndian: words[6]) == UInt64(status.inode.rawValue)
            let boot = UInt64(littleEndian: words[1])
            let record = WitnessRecord(
                boot: boot == 0 ? nil : boot, acknowledged: ListsDigest(value: UInt64(littleEndian: words[2])),
                underway: ListsDigest(value: UInt64(littleEndian: words[3])),
                isClosed: UInt64(littleEndian: words[4]) == 1)
            guard isSameFile, (-earlinessMax...delayMax).contains(delay) else {
                return .failure(
                    Rejection(
                        reason: "\(path) was copied or changed since the daemon wrote it", record: record))
            }
            return .success(record)
        }
    }
}
