import Synchronization

/// Passes one value from a background thread to the store's queue.
final class ResultBox<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func put(_ found: Value) { value.withLock { $0 = found } }

    func take() -> Value {
        let found = value.withLock { value in
            defer { value = nil }
            return value
        }
        guard let found else { preconditionFailure("work that is done has a result") }
        return found
    }
}
