import Foundation
import Synchronization
import TestSupport

/// Ends an operation that would wait forever.
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

    /// Stops the rescue, and returns whether it was needed.
    func end() -> Bool {
        isOver.signal()
        return begun.withLock { $0 }
    }
}
