import Synchronization

/// Passes one value from one thread to another.
package final class ResultBox<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    package init(_ value: Value? = nil) { self.value = Mutex(value) }

    package func put(_ found: Value) { value.withLock { $0 = found } }

    package func take() -> Value {
        let found = value.withLock { value in
            defer { value = nil }
            return value
        }
        guard let found else { preconditionFailure("work that is done has a result") }
        return found
    }
}
