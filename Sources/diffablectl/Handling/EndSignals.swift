import DiffableInput
import Dispatch
import Glibc
import Synchronization

/// The signals that end a program, for programs that must clean up first.
enum EndSignals {
    private static let writing = Atomic<Int32>(-1)

    /// Calls back once, with the first signal; the same signal again ends the program at once. Ignored signals (nohup) stay
    /// ignored.
    static func onFirst(_ body: @escaping @Sendable (Int32) -> Void) throws(InputError) {
        let (reading, writing) = try ChildProcess.pipe()
        self.writing.store(writing, ordering: .relaxed)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            let before = signal(number) { number in
                signal(number, SIG_DFL)
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(EndSignals.writing.load(ordering: .relaxed), &byte, 1)
            }
            if isIgnoring(before) { signal(number, SIG_IGN) }
        }
        // It blocks as long as the program runs, so it has a thread of its own.
        DispatchQueue(label: "end signals").async {
            var byte: UInt8 = 0
            while read(reading, &byte, 1) < 0, errno == EINTR {}
            body(Int32(byte))
        }
    }

    static func isIgnoring(_ handler: sighandler_t?) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends as the signal would have ended the program, so that a shell sees which it was.
    static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        // Threads of Dispatch block signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        // Process 1 is not ended by a signal. A signal handler may call this function, but not exit().
        _exit(128 + number)
    }
}
