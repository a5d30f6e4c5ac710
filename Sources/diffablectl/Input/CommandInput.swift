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
        // From before it is there: a signal could come while it starts.
        ChildSignals.take()
        defer { ChildSignals.restore() }
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
    /// 0 until there is one.
    private static let child = Atomic<pid_t>(0)
    /// The one that has come; 0 until then.
    private static let taken = Atomic<Int32>(0)
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    static func take() {
        child.store(0, ordering: .sequentiallyConsistent)
        taken.store(0, ordering: .sequentiallyConsistent)
        handle { number in
            ChildSignals.taken.store(number, ordering: .sequentiallyConsistent)
            ChildSignals.endBoth()
        }
    }

    static func forward(to processID: pid_t) {
        child.store(processID, ordering: .sequentiallyConsistent)
        // One may have come on another thread just before.
        endBoth()
    }

    /// Takes no more. What has come while there was no child ends this program.
    static func restore() {
        handle(SIG_DFL)
        let number = taken.load(ordering: .sequentiallyConsistent)
        if number != 0 { EndSignals.end(by: number) }
    }

    /// Ends the child and this program when a signal has come and there is a child: whoever notes the later of the two
    /// finds the other.
    private static func endBoth() {
        let (processID, number) = (
            child.load(ordering: .sequentiallyConsistent), taken.load(ordering: .sequentiallyConsistent)
        )
        guard processID != 0, number != 0 else { return }
        kill(processID, number)
        // At once, whichever thread this is: otherwise another could see that the command has ended, and exit with
        // status 2 before a signal to the whole process is delivered.
        EndSignals.end(by: number)
    }

    private static func handle(_ handler: sighandler_t?) {
        for number in numbers {
            let before = signal(number, handler)
            // A signal that we ignore (nohup) is ignored by the child too.
            if EndSignals.isIgnoring(before) { signal(number, SIG_IGN) }
        }
    }
}
