import Dispatch
import Glibc

#if compiler(>=6.3) && compiler(<6.4)
    @_spi(ExperimentalCustomExecutors) import _Concurrency
#endif

/// A program's tasks on threads that sleep as long as there is nothing to do.
///
/// Swift's own executor on Linux hands tasks to a global queue of libdispatch. From its first task on, libdispatch wakes a
/// thread once a second, for ever, to count how many threads of such queues are at work (`_dispatch_workq_monitor_pools`; its
/// serial queues have no such timer). A program that nobody uses would keep a machine awake, and a laptop's battery pays.
///
/// Swift lets a program have another executor for all tasks (`_createExecutors`), which is not stable yet: it is an SPI of 6.3.
/// So this is done with the compiler that it was tried with, and with any other one tasks run on libdispatch, as everywhere:
/// nothing but the wake-ups is different.
package enum TaskThreads {
    /// Runs the program as a task, and ends it with status 0 when that returns. To be called first, by the main thread: tasks
    /// that there are already would stay where they are.
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
            pool.keepTime(TaskExecutors.mainThread.asUnownedSerialExecutor())
        #else
            dispatchMain()
        #endif
    }

    /// The machine has refused what no task runs without, and nobody is there yet who could be told in another way.
    static func end(because problem: String, _ number: Int32) -> Never {
        let line = "\(problem): \(String(cString: strerror(number))); see `ulimit -n` and `ulimit -u`\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
        exit(EX_OSERR)
    }
}
