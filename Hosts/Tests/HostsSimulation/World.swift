import DequeModule
import Glibc
import TestSupport

/// Virtual time on one thread: runs planned calls in the order of their times, and tasks in the order in which they become
/// ready. So a seed reproduces a run.
///
/// Unchecked, because one thread runs everything: a task that continued on another one would be a bug that ends the process.
package final class World: TaskExecutor, @unchecked Sendable {
    private var timeline = Timeline()
    var random: SplitMix64
    /// Whether the world has stopped.
    var isStopped = false
    private var jobs: Deque<UnownedJob> = []
    private let thread = pthread_self()

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// The time in microseconds.
    var now: Int { timeline.now }

    func after(_ delay: Int, _ body: @escaping () -> Void) { at(now + delay, body) }

    func at(_ time: Int, _ body: @escaping () -> Void) { timeline.plan(at: time, body) }

    /// Runs until that time.
    func run(until end: Int) {
        goOn()
        while !isStopped, let body = timeline.next(until: end) {
            body()
            goOn()
        }
        timeline.pass(to: end)
    }

    private func goOn() {
        while let job = jobs.popFirst() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        precondition(pthread_equal(thread, pthread_self()) != 0, "all of a world happens on one thread")
        jobs.append(UnownedJob(job))
    }

    /// Begins a task that uses this time.
    func begin(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self) { await body() }
    }

    func chance(_ part: Double) -> Bool { part > 0 && Double.random(in: 0..<1, using: &random) < part }
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
}

/// A value that arrives once, and can be awaited.
///
/// Unchecked, because a world uses one thread.
final class Promise<Value: Sendable>: @unchecked Sendable {
    private var continuation: CheckedContinuation<Value, Never>?
    private(set) var value: Value?

    /// Sets the value; only the first one counts.
    func keep(_ value: Value) {
        guard self.value == nil else { return }
        self.value = value
        continuation?.resume(returning: value)
        continuation = nil
    }

    /// - Parameter cancelled: the result if the waiting task is cancelled.
    func wait(cancelled: Value) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let value { continuation.resume(returning: value) } else { self.continuation = continuation }
            }
        } onCancel: {
            keep(cancelled)
        }
    }
}
