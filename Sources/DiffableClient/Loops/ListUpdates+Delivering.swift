import Diffable
import Dispatch

extension ListUpdates {
    /// Follows the list in a program whose main thread runs its own loop, such as GLib's or Qt's: each update is delivered on
    /// the main thread, where widgets may be changed.
    ///
    ///     Task.detached {
    ///         try await list.deliver(by: { idle($0) }) { update in
    ///             for change in update.rowChanges { store.carryOut(change) }
    ///         }
    ///     }
    ///
    /// The next update is delivered after `receive` has handled the previous one: a busy loop then gets the newest state. It
    /// returns and throws as a loop over the list does; an update that is already scheduled is still delivered.
    ///
    /// - Parameters:
    ///   - schedule: makes the main thread call its argument once, later: `g_idle_add`, `QMetaObject::invokeMethod`. If another
    ///     thread calls it, `receive` is not called, and `notOnMainThread` is thrown.
    ///   - receive: called on the main thread.
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

/// Recognizes where the main actor's functions may be called. Elsewhere, `MainActor.assumeIsolated` stops the program, inside
/// libdispatch and without a message.
private enum MainThread {
    private static let mark: DispatchSpecificKey<Bool> = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) ?? false }
}
