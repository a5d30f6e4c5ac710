/// Runs work in the background that would block the store's queue for long.
///
/// The list can change while the work runs. The result is used if its inputs are still current, and computed again otherwise.
package struct BackgroundWork: Sendable {
    /// In items. Larger work runs in the background.
    let sizeMax: Int
    /// Runs the work in the background, then calls back on the queue.
    let execute: Execute
    package typealias Execute =
        @Sendable (
            _ size: Int, _ work: @escaping @Sendable () -> Void, _ then: @escaping @Sendable () -> Void
        ) -> Void

    /// Frees a value in the background, after the queue's current work has released it.
    let free: @Sendable (_ remains: any Sendable, _ size: Int) -> Void

    package init(
        sizeMax: Int,
        execute: @escaping Execute,
        free: @escaping @Sendable (any Sendable, Int) -> Void
    ) {
        self.sizeMax = sizeMax
        self.execute = execute
        self.free = free
    }

    func compute<Value: Sendable>(
        size: Int, _ work: @escaping @Sendable () -> Value, use: @escaping @Sendable (Value) -> Void
    ) {
        let found = ResultBox<Value>()
        execute(size, { found.put(work()) }, { use(found.take()) })
    }
}
