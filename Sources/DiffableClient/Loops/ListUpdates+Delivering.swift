import Diffable

extension ListUpdates {
    /// Follows the list for a program whose main thread runs a loop of its own, such as GLib's or Qt's: each update is handed
    /// over there, where widgets may be touched.
    ///
    ///     Task.detached {
    ///         try await list.deliver(by: { idle($0) }) { update in
    ///             for change in update.rowChanges { store.carryOut(change) }
    ///         }
    ///     }
    ///
    /// The next update comes when the function has been through with the one before: a loop that is busy gets the newest state
    /// then. It returns and throws as a loop over the list does; what is handed over already is still carried out.
    ///
    /// - Parameters:
    ///   - schedule: has the main thread call what it is given once, later: `g_idle_add`, `QMetaObject::invokeMethod`. On
    ///     another thread that call stops the program.
    ///   - receive: is called on the main thread.
    public func deliver(
        by schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        to receive: @escaping @MainActor @Sendable (ListUpdate<Value>) -> Void
    ) async throws(ClientError) {
        for try await update in self {
            await withCheckedContinuation { continuation in
                schedule {
                    MainActor.assumeIsolated { receive(update) }
                    continuation.resume()
                }
            }
        }
    }
}
