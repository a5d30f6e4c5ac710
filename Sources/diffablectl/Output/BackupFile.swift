import Diffable
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A backup in the making: under a name of its own until it is whole and on the disk, so that nothing that has the name
/// asked for is ever half a backup.
///
/// The first line says what it is, the last one that it is whole: it has the checksum of all that stands before.
final class BackupFile: Sendable {
    private let path: String
    private let unfinishedPath: String
    private let state: Mutex<State>

    private struct State {
        var descriptor: Int32
        var checksum = CRC32()
        var waiting: [UInt8] = []
        var lines = 0
        var failure: InputError?
    }

    /// What a reader must understand to restore it.
    static let format = 1
    private static let pieceLength = 1 << 18

    /// Readable for the owner alone, because lists may be secrets.
    init(path: String) throws(InputError) {
        self.path = path
        unfinishedPath = "\(path).unfinished-\(getpid())"
        let descriptor = open(unfinishedPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw InputError("\(unfinishedPath) cannot be made: \(systemError())") }
        state = Mutex(State(descriptor: descriptor))
        append(#"{"diffabledBackup":\#(BackupFile.format)}"#.utf8)
    }

    deinit {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            close(state.descriptor)
            unlink(unfinishedPath)
        }
    }

    /// Adds a line. What goes wrong is told at the end.
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
        var rest = state.waiting[...]
        state.waiting = []
        while !rest.isEmpty, state.failure == nil {
            let count = rest.withUnsafeBytes { write(state.descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno != EINTR {
                    state.failure = InputError("\(unfinishedPath) cannot be written: \(systemError())")
                }
            } else {
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Adds the last line, and gives the file its name when it is on the disk.
    ///
    /// - Parameters:
    ///   - lists: as the daemon tells of them, JSON.
    ///   - replacing: whether a file of that name may go.
    func finish(lists: JSONView, replacing: Bool) throws(InputError) {
        let result = state.withLock { state -> Result<Void, InputError> in
            Result { () throws(InputError) in
                flush(&state)
                let end = #"{"lines":\#(state.lines),"crc32":"\#(state.checksum.description)","lists":\#(lists.json)}"#
                state.waiting = Array("\(end)\n".utf8)
                flush(&state)
                if let failure = state.failure { throw failure }
                guard fsync(state.descriptor) == 0, close(state.descriptor) == 0 else {
                    throw InputError("\(unfinishedPath) cannot be written: \(systemError())")
                }
                state.descriptor = -1
            }
        }
        do throws(InputError) {
            try result.get()
            try takeName(replacing: replacing)
        } catch {
            unlink(unfinishedPath)
            throw error
        }
    }

    private func takeName(replacing: Bool) throws(InputError) {
        if replacing {
            guard rename(unfinishedPath, path) == 0 else { throw InputError("\(path): \(systemError())") }
        } else {
            // Unlike rename, this never takes a name from another file.
            guard link(unfinishedPath, path) == 0 else {
                throw errno == EEXIST ? BackupFile.exists(path) : InputError("\(path): \(systemError())")
            }
            unlink(unfinishedPath)
        }
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw InputError("\(directory) cannot be synced: \(systemError())") }
    }

    static func exists(_ path: String) -> InputError {
        InputError("\(path) is there already; name another file, or replace it with --force")
    }
}

private func systemError() -> String { String(cString: strerror(errno)) }
