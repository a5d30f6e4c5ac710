import Dispatch
import Glibc

#if compiler(>=6.3) && compiler(<6.4)
    @_spi(ExperimentalCustomExecutors) import _Concurrency
#endif

/// Runs a program's tasks on threads that sleep while there is nothing to do.
///
/// Swift's own executor on Linux hands tasks to a global queue of libdispatch. From the first task on, libdispatch wakes a
/// thread every second to count the busy threads of such queues (`_dispatch_workq_monitor_pools`; its serial queues have no such
/// timer). These wake-ups would cost battery even while the program is idle.
///
/// A program can replace the executor (`_createExecutors`), but that is not stable yet: it is an SPI of 6.3. So only the tested
/// compiler uses it. With any other compiler, tasks run on libdispatch; only the wake-ups differ.
package enum TaskThreads {
    /// Runs the program as a task, and exits with status 0 when it returns. Call this first, on the main thread: tasks created
    /// earlier would stay on the old executor.
    package static func run(_ program: @escaping @Sendable () async -> Void) -> Never {
        #if compiler(>=6.3) && compiler(<6.4)
            guard let pool = TaskPool.shared else { end(because: "there is no timer for tasks", errno) }
            _createExecutors(factory: TaskExecutors.self)
        #endif
        Task.detached {
            await program()
            exit(0)
        }
        #if compiler(>=6.3) && compiler(<6.4)
            pool.runTimerLoop(TaskExecutors.mainThread.asUnownedSerialExecutor())
        #else
            dispatchMain()
        #endif
    }

    /// Ends the program with an error on stderr, because logging is not set up yet.
    static func end(because problem: String, _ number: Int32) -> Never {
        let line = "\(problem): \(String(cString: strerror(number))); see `ulimit -n` and `ulimit -u`\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
        exit(EX_OSERR)
    }
}
