import DiffableInput
import Glibc
import Synchronization

/// A command whose output is read. It is started without a shell, and inherits standard input and standard error. Its output
/// counts only if it ends with status 0, because half of a list looks like a list. A signal that ends this program ends the
/// command too.
struct CommandInput {
    private let command: [String]

    init(_ command: [String]) { self.command = command }

    func bytes(within limit: InputLimit) async throws -> [UInt8] {
        // The command gets one end only: with the other it would not get SIGPIPE when this program ends.
        let (reading, writing) = try ChildProcess.pipe()
        // Before the start, because a signal could arrive while the command starts.
        ChildSignals.startForwarding()
        defer { ChildSignals.stopForwarding() }
        let child: ChildProcess
        do {
            defer { close(writing) }
            child = try ChildProcess(command, output: writing)
        } catch {
            close(reading)
            throw error
        }
        ChildSignals.forward(to: child.processID)
        let bytes: [UInt8]
        do {
            bytes = try await ByteSource(reading, named: "the output of \(command[0])").bytes(within: limit)
        } catch {
            // Before the wait, because the command may block in a write.
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
            throw InputError("\(ChildProcess.message(command[0], endedBy: signal)); nothing was changed")
        }
    }
}

private enum ChildSignals {
    /// 0 until the child exists.
    private static let child = Atomic<pid_t>(0)
    /// The signal that was received; 0 until then.
    private static let taken = Atomic<Int32>(0)
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    static func startForwarding() {
        child.store(0, ordering: .sequentiallyConsistent)
        taken.store(0, ordering: .sequentiallyConsistent)
        handle { number in
            ChildSignals.taken.store(number, ordering: .sequentiallyConsistent)
            ChildSignals.endBoth()
        }
    }

    static func forward(to processID: pid_t) {
        child.store(processID, ordering: .sequentiallyConsistent)
        // A signal may have arrived on another thread just before.
        endBoth()
    }

    /// Stops forwarding. A signal that arrived without a child ends this program.
    static func stopForwarding() {
        handle(SIG_DFL)
        let number = taken.load(ordering: .sequentiallyConsistent)
        if number != 0 { EndSignals.end(by: number) }
    }

    /// Ends the child and this program if both a signal and the child are known. It is called after each of them is
    /// recorded, so the second call finds both.
    private static func endBoth() {
        let (processID, number) = (
            child.load(ordering: .sequentiallyConsistent), taken.load(ordering: .sequentiallyConsistent)
        )
        guard processID != 0, number != 0 else { return }
        kill(processID, number)
        // At once, on any thread: otherwise another thread could see that the command has ended, and exit with status 2 before
        // a signal to the whole process is delivered.
        EndSignals.end(by: number)
    }

    private static func handle(_ handler: sighandler_t?) {
        for number in numbers {
            let before = signal(number, handler)
            // A signal that this program ignores (nohup) is ignored by the child too.
            if EndSignals.isIgnoring(before) { signal(number, SIG_IGN) }
        }
    }
}
