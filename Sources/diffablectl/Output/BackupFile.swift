import Diffable
import DiffableInput
import Files
import Glibc
import Synchronization
import SystemPackage

/// A backup while it is written. It has a temporary name until it is complete and on the disk, so that a file with the final
/// name is never half a backup.
///
/// The first line tells the format. The last line marks the end, and has a checksum of all lines before it.
final class BackupFile: Sendable {
    /// Nil for standard output.
    let path: String?
    private let unfinishedPath: String
    private let state: Mutex<State>

    private struct State {
        /// Nil for standard output, and when it is closed.
        var file: FileDescriptor?
        var checksum = CRC32()
        var waiting: [UInt8] = []
        var lines = 0
        var failure: InputError?
    }

    /// The version of the format.
    static let format = 1
    private static let pieceLength = 1 << 18

    /// Creates a file that only its owner can read, because lists may be secret.
    init(path: String) throws(InputError) {
        self.path = path
        unfinishedPath = "\(path).unfinished-\(getpid())"
        let file: FileDescriptor
        do throws(Errno) {
            file = try .opened(
                unfinishedPath, .writeOnly, [.create, .exclusiveCreate], permissions: .ownerReadWrite)
        } catch {
            throw InputError("\(unfinishedPath) cannot be made: \(error)")
        }
        state = Mutex(State(file: file))
        append(BackupFile.head)
    }

    /// Writes to standard output. There only the last line shows that the backup is complete.
    init() {
        path = nil
        unfinishedPath = "standard output"
        state = Mutex(State())
        append(BackupFile.head)
    }

    private static var head: String.UTF8View { #"{"diffabledBackup":\#(format)}"#.utf8 }

    deinit {
        state.withLock { state in
            guard let file = state.file else { return }
            try? file.close()
            unlink(unfinishedPath)
        }
    }

    /// Adds a line. An error is reported by `finish`.
    func append(_ line: some Sequence<UInt8> & Sendable) {
        state.withLock { state in
            state.waiting += line
            state.waiting.append(UInt8(ascii: "\n"))
            state.lines += 1
            if state.waiting.count >= BackupFile.pieceLength { flush(&state) }
        }
    }

    private func flush(_ state: inout State) {
        state.checksum.add(state.waiting)
        let bytes = state.waiting
        state.waiting = []
        guard let file = state.file else { return StandardOutput.write(bytes) }
        if state.failure != nil { return }
        do { try file.writeWhole(bytes) } catch { state.failure = unwritable(error) }
    }

    private func unwritable(_ error: any Error) -> InputError {
        InputError("\(unfinishedPath) cannot be written: \(error)")
    }

    /// Adds the last line, and gives the file its name when it is on the disk.
    ///
    /// - Parameters:
    ///   - lists: the reply to `lists`, as JSON.
    ///   - replacing: whether an existing file may be replaced.
    func finish(lists: JSONView, replacing: Bool) throws(InputError) {
        let result = state.withLock { state -> Result<Void, InputError> in
            Result { () throws(InputError) in
                flush(&state)
                let end = #"{"lines":\#(state.lines),"crc32":"\#(state.checksum.description)","lists":\#(lists.json)}"#
                state.waiting = Array("\(end)\n".utf8)
                flush(&state)
                if let failure = state.failure { throw failure }
                guard let file = state.file else { return }
                do {
                    try file.synchronize()
                    try file.close()
                } catch {
                    throw unwritable(error)
                }
                state.file = nil
            }
        }
        do throws(InputError) {
            try result.get()
            if let path { try takeName(path, replacing: replacing) }
        } catch {
            unlink(unfinishedPath)
            throw error
        }
    }

    private func takeName(_ path: String, replacing: Bool) throws(InputError) {
        if replacing {
            guard rename(unfinishedPath, path) == 0 else { throw InputError("\(path): \(Errno.last)") }
        } else {
            // Unlike rename, this never takes a name from another file.
            guard link(unfinishedPath, path) == 0 else {
                let error = Errno.last
                throw error == .fileExists ? BackupFile.exists(path) : InputError("\(path): \(error)")
            }
            unlink(unfinishedPath)
        }
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        do throws(Errno) { try FileDescriptor.synchronize(directory: directory) } catch {
            // The directory may be writable and not readable.
            if error == .permissionDenied { return }
            throw InputError("\(directory) cannot be synced: \(error)")
        }
    }

    static func exists(_ path: String) -> InputError {
        InputError("\(path) is there already; name another file, or replace it with --force")
    }
}
