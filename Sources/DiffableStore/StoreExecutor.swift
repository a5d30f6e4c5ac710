import Dispatch

/// The serial queue that owns the store's state.
///
/// In the daemon it is an event loop, so that connections call the store without a hop (`store.assumeIsolated { ...
/// }`). Elsewhere it is a `DispatchQueueExecutor`.
package protocol StoreExecutor: SerialExecutor {
    /// Schedules the work on the queue, in the order of the calls, and never runs it at once. Callable from any thread.
    func execute(_ work: @escaping @Sendable () -> Void)
}

/// A queue for tests and programs without an event loop.
package final class DispatchQueueExecutor: StoreExecutor {
    private let queue: DispatchQueue
    let progress = WorkProgress()

    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func execute(_ work: @escaping @Sendable () -> Void) {
        queue.async { self.carryOut(work) }
    }

    func execute(afterMilliseconds delay: Int, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(delay)) { self.carryOut(work) }
    }

    func run<R>(_ work: () -> R) -> R { queue.sync(execute: work) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { self.carryOut { job.runSynchronously(on: self.asUnownedSerialExecutor()) } }
    }

    private func carryOut(_ work: () -> Void) {
        progress.begin()
        work()
        progress.end()
    }

    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
