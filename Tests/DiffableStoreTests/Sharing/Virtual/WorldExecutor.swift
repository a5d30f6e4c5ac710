@testable import DiffableStore

final class WorldExecutor: StoreExecutor {
    private let world: World

    init(_ world: World) { self.world = world }

    func execute(_ work: @escaping @Sendable () -> Void) { world.after(0, work) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        world.after(0) { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// A world uses one thread.
    func checkIsolated() {}

    func isIsolatingCurrentContext() -> Bool? { true }
}
