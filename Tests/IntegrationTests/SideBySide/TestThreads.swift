import Foundation
import Synchronization

/// Runs the tasks of one test, on as many threads as they need.
///
/// These tests block while they wait for processes and sockets. Swift's own executor has one thread per core: two tests would
/// block it on two cores, with every task that they or other tests wait for.
final class TestThreads: TaskExecutor {
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    private struct State {
        var jobs: [UnownedJob] = []
        /// The number of waiting threads, without threads that were woken.
        var idle = 0
        var isFinished = false
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isThreadThere = state.withLock { state in
            state.jobs.append(job)
            guard state.idle > 0 else { return false }
            state.idle -= 1
            return true
        }
        if isThreadThere { wake.signal() } else { startThread() }
    }

    /// Ends threads when they are idle, after the test. Remaining tasks may still run.
    func finish() {
        let idle = state.withLock { state in
            state.isFinished = true
            defer { state.idle = 0 }
            return state.idle
        }
        for _ in 0..<idle { wake.signal() }
    }

    private func startThread() {
        let thread = Thread { [self] in work() }
        thread.stackSize = 8 << 20
        thread.start()
    }

    private func work() {
        while true {
            let (job, isOver) = state.withLock { state in
                if !state.jobs.isEmpty { return (state.jobs.removeFirst() as UnownedJob?, false) }
                if !state.isFinished { state.idle += 1 }
                return (nil, state.isFinished)
            }
            if let job {
                job.runSynchronously(on: asUnownedTaskExecutor())
            } else if isOver {
                return
            } else {
                wake.wait()
            }
        }
    }
}
