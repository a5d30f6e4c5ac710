import Diffable
import DiffableInput
import Files
import Glibc
import Synchronization
import SystemPackage

/// A backup while it is written. It has a temporary name until it is complete and on the disk, so that a file with the final name
/// is never half a backup. The first line names the format. The last line marks the end, and has a checksum of all lines before
/// it.
final class BackupFile: Sendable {
    /// Nil for standard output.
    let path: String?
    /// The file's directory, open so that no user can redirect its path; nil for standard output.
    private let directory: FileDescriptor?
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

    static let format = 1
    private static let pieceLength = 1 << 18

    /// Creates a file that only its owner can read, because lists may be secret.
    init(path: String) throws(InputError) {
        self.path = path
        unfinishedPath = "\(path).unfinished-\(getpid())"
        do throws(Errno) {
            let directory = try FileDescriptor.openedDirectory(TrustedPath.parts(of: path).directory)
            self.directory = directory
            let name = TrustedPath.parts(of: unfinishedPath).name
            state = Mutex(State(file: try directory.createdFile(name)))
        } catch {
            throw InputError("no backup was written, because \(unfinishedPath) cannot be created: \(error)")
        }
        append(BackupFile.head)
    }

    /// Writes to standard output. There only the last line shows that the backup is complete.
    init() {
        path = nil
        directory = nil
        unfinishedPath = "standard output"
        state = Mutex(State())
        append(BackupFile.head)
    }

    private static var head: String.UTF8View { #"{"diffabledBackup":\#(format)}"#.utf8 }

    deinit {
        state.withLock { state in
            guard let file = state.file else { return }
            try? file.close()
            removeUnfinished()
        }
        try? directory?.close()
    }

    private var unfinishedName: String { TrustedPath.parts(of: unfinishedPath).name }

    private func removeUnfinished() { directory?.removeFile(unfinishedName) }

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
        InputError("no backup was written, because \(unfinishedPath) cannot be written: \(error)")
    }

    /// Adds the last line with the reply to `lists`, and gives the file its name when it is on the disk. `replacing` says
    /// whether an existing file may be replaced.
    func finish(lists: JSONReader, replacing: Bool) throws(InputError) {
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
            if let path, let directory { try takeName(path, in: directory, replacing: replacing) }
        } catch {
            removeUnfinished()
            throw error
        }
    }

    private func takeName(_ path: String, in directory: FileDescriptor, replacing: Bool) throws(InputError) {
        do throws(Errno) {
            try directory.renameFile(unfinishedName, to: TrustedPath.parts(of: path).name, replacing: replacing)
        } catch {
            throw error == .fileExists
                ? BackupFile.exists(path)
                : InputError("no backup was written, because no file can be put at \(path): \(error)")
        }
        do throws(Errno) { try directory.synchronize() } catch {
            // A directory that cannot be read cannot be synced.
            if error == .badFileDescriptor { return }
            throw InputError(
                "\(path) was written, but may be lost if the machine fails now, because \(TrustedPath.parts(of: path).directory) "
                    + "cannot be synced: \(error)")
        }
    }

    static func exists(_ path: String) -> InputError {
        InputError("\(path) already exists, so no backup was written; name another file, or replace it with --force")
    }
}
