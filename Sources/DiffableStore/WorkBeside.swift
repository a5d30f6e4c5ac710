/// Where the store has done what would hold its queue for long, and how much that is.
///
/// Until it is done, the list goes on. What was found is then used if the list is what it was found from, and found anew
/// otherwise.
package struct WorkBeside: Sendable {
    /// What is more work than this is done beside the queue; in items.
    let sizeMax: Int
    /// Does the work somewhere, and then calls back on the queue.
    let execute: Execute
    package typealias Execute =
        @Sendable (
            _ size: Int, _ work: @escaping @Sendable () -> Void, _ then: @escaping @Sendable () -> Void
        ) -> Void

    /// Lets go of something there, once the queue's current work has done so.
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

    func find<Value: Sendable>(
        size: Int, _ work: @escaping @Sendable () -> Value, use: @escaping @Sendable (Value) -> Void
    ) {
        let found = FoundBeside<Value>()
        execute(size, { found.put(work()) }, { use(found.take()) })
    }
}
