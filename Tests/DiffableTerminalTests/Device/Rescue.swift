import Foundation
import Synchronization
import TestSupport

/// Ends what would wait for ever, unless it has ended by itself before.
final class Rescue: Sendable {
    private let isOver = DispatchSemaphore(value: 0)
    private let begun = Mutex(false)

    init(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            let end = DispatchTime.now() + .seconds(Int(patience.components.seconds))
            guard isOver.wait(timeout: end) == .timedOut else { return }
            begun.withLock { $0 = true }
            body()
        }
    }

    /// It has ended. Returns whether it had to be helped.
    func end() -> Bool {
        isOver.signal()
        return begun.withLock { $0 }
    }
}
