import DiffableInput
import Glibc
import Synchronization

/// A command whose output is read. It is started without a shell, and has our standard input and standard error.
///
/// Its output counts only if it ends with status 0, because half of a list looks like a list. A signal that ends this
/// program ends the command too.
struct CommandInput {
    private let command: [String]

    init(_ command: [String]) { self.command = command }

    func bytes(within limit: InputLimit) async throws -> [UInt8] {
        // The command gets one end only: with the other it would not get SIGPIPE when we end.
        let (reading, writing) = try ChildProcess.pipe()
        let child: ChildProcess
        do {
            defer { close(writing) }
            child = try ChildProcess(command, output: writing)
        } catch {
            close(reading)
            throw error
        }
        ChildSignals.forward(to: child.processID)
        defer { ChildSignals.restore() }
        let bytes: [UInt8]
        do {
            bytes = try await ByteSource(reading, named: "the output of \(command[0])").bytes(within: limit)
        } catch {
            // This comes before the wait, because the command may block in a write.
            close(reading)
            kill(child.processID, SIGTERM)
            _ = child.wait()
            throw error
        }
        close(reading)
        switch child.wait() {
        case .status(0): return bytes
        case .status(let status): throw InputError("\(command[0]) ended with status \(status); nothing was changed")
        case .signal(let signal):
            throw InputError(
                "\(command[0]) was ended by signal \(signal) (\(String(cString: strsignal(signal)))); "
                    + "nothing was changed")
        }
    }
}

/// Forwards signals that end this program to a child.
private enum ChildSignals {
    private static let child = Atomic<pid_t>(0)
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    static func forward(to processID: pid_t) {
        child.store(processID, ordering: .relaxed)
        for number in numbers {
            let before = signal(number) { number in
                kill(ChildSignals.child.load(ordering: .relaxed), number)
                signal(number, SIG_DFL)
                raise(number)
            }
            // A signal that we ignore (nohup) is ignored by the child too.
            if EndSignals.isIgnoring(before) { signal(number, SIG_IGN) }
        }
    }

    static func restore() {
        for number in numbers {
            let before = signal(number, SIG_DFL)
            if EndSignals.isIgnoring(before) { signal(number, SIG_IGN) }
        }
    }
}
