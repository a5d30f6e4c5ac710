import DiffableInput
import Dispatch
import Glibc
import Synchronization

/// A command whose output the viewer shows while it runs. The command has no terminal, and its errors are part of the output.
final class RowPreview: Sendable {
    private let processID: pid_t
    private let isOver = Mutex(false)

    /// Calls `onText` with the output so far, on another thread, until the output has ended or is long enough.
    init(_ words: [String], onText: @escaping @Sendable (String) -> Void) throws(InputError) {
        let (reading, writing) = try ChildProcess.pipe()
        let child: ChildProcess
        do {
            defer { close(writing) }
            child = try ChildProcess(words, input: .nothing, output: writing, errors: writing, group: .own)
        } catch {
            close(reading)
            throw error
        }
        processID = child.processID
        DispatchQueue(label: "preview").async {
            var bytes: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 1 << 14)
            while bytes.count < Self.lengthMax {
                let count = part.withUnsafeMutableBytes { read(reading, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                bytes += part[..<count]
                onText(String(decoding: bytes, as: UTF8.self))
            }
            if bytes.isEmpty { onText("") }
            close(reading)
            // The command may continue after it has closed its output.
            self.stop()
            child.waitWithoutReaping()
            self.isOver.withLock {
                _ = child.wait()
                $0 = true
            }
        }
    }

    /// Ends the command and what it has started.
    func stop() {
        // Another process may have the number of one that has been waited for.
        isOver.withLock { if !$0 { kill(-processID, SIGTERM) } }
    }

    /// Bytes of output that are read.
    private static let lengthMax = 1 << 18
}
