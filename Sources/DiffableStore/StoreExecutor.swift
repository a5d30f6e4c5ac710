import Dispatch

/// The one queue that the store's state belongs to.
///
/// In the daemon it is an event loop's, so that connections call the store without a hop
/// (`store.assumeIsolated { ... }`); elsewhere a `DispatchQueueExecutor`.
package protocol StoreExecutor: SerialExecutor {
    /// Runs the work on the queue later, in the order of the calls, never at once. May be called from any thread.
    func execute(_ work: @escaping @Sendable () -> Void)
}

/// A store's queue without an event loop: for tests, and for programs that have none.
package final class DispatchQueueExecutor: StoreExecutor {
    private let queue: DispatchQueue
    /// Of what the queue is at.
    let progress = WorkProgress()

    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func execute(_ work: @escaping @Sendable () -> Void) {
        queue.async { self.carryOut(work) }
    }

    /// The same, no sooner than after so many milliseconds.
    func execute(afterMilliseconds delay: Int, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(delay)) { self.carryOut(work) }
    }

    /// Runs the work on the queue and returns when it is done.
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
