import DiffableStore
import NIOCore

/// The store's queue is an event loop: connections that live on it call the store as a function, without a hop.
final class EventLoopStoreExecutor: StoreExecutor {
    private let eventLoop: any EventLoop

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func execute(_ work: @escaping @Sendable () -> Void) {
        eventLoop.execute(work)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        eventLoop.preconditionInEventLoop()
    }

    func isIsolatingCurrentContext() -> Bool? {
        eventLoop.inEventLoop
    }
}
