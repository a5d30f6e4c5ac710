import DiffableStore
import NIOCore

/// Uses an event loop as the store's queue, so that connections on that loop call the store without a hop.
package final class EventLoopStoreExecutor: StoreExecutor {
    private let eventLoop: any EventLoop

    package init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    package func execute(_ work: @escaping @Sendable () -> Void) {
        eventLoop.execute(work)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func checkIsolated() {
        eventLoop.preconditionInEventLoop()
    }

    package func isIsolatingCurrentContext() -> Bool? {
        eventLoop.inEventLoop
    }
}
