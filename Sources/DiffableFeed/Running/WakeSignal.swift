import Synchronization

/// Wakes one waiting task. If no task is waiting, the next one that waits continues at once.
package final class WakeSignal: Sendable {
    private struct State {
        var hasRung = false
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    package func signal() {
        let waiter = state.withLock { state in
            state.hasRung = state.waiter == nil
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: true)
    }

    private func end(rung: Bool) {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: rung)
    }

    package func takeSignal() -> Bool {
        state.withLock { state in
            defer { state.hasRung = false }
            return state.hasRung
        }
    }

    /// Waits until it is signalled, the deadline passes, or the task is cancelled. Only one task may wait at a time. Returns
    /// whether it was signalled.
    @discardableResult
    package func wait(until deadline: ContinuousClock.Instant? = nil) async -> Bool {
        let timer = deadline.map { deadline in
            Task {
                try await Task.sleep(until: deadline, clock: .continuous)
                end(rung: false)
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    guard state.hasRung else {
                        // The timer may have fired before the task waited.
                        if let deadline, deadline <= .now { return false }
                        state.waiter = continuation
                        return nil
                    }
                    state.hasRung = false
                    return true
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            end(rung: false)
        }
    }
}
