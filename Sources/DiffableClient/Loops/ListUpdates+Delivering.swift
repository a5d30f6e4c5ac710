import Diffable
import Dispatch

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
    ///   - schedule: has the main thread call what it is given once, later: `g_idle_add`, `QMetaObject::invokeMethod`. When
    ///     another thread calls it, `receive` is not called, and `notOnMainThread` is thrown.
    ///   - receive: is called on the main thread.
    public func deliver(
        by schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        to receive: @escaping @MainActor @Sendable (ListUpdate<Value>) -> Void
    ) async throws(ClientError) {
        for try await update in self {
            let isReceived = await withCheckedContinuation { continuation in
                schedule {
                    let isOnMainThread = MainThread.isCurrent
                    if isOnMainThread { MainActor.assumeIsolated { receive(update) } }
                    continuation.resume(returning: isOnMainThread)
                }
            }
            guard isReceived else { throw .notOnMainThread }
        }
    }
}

/// Where the main actor's functions may be called. `MainActor.assumeIsolated` elsewhere stops the program, in libdispatch and
/// without a word.
private enum MainThread {
    private static let mark: DispatchSpecificKey<Bool> = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    /// Whether this is the main queue, or the thread that it belongs to.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) ?? false }
}
