import Synchronization

/// Lets tasks do something one after the other, in the order in which they asked.
///
/// An actor would not do: it lets the next one in whenever the one before waits.
final class Turns: Sendable {
    private struct State {
        var isTaken = false
        var lastNumber = 0
        /// In order.
        var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Mutex(State())

    /// Waits for a turn, which lasts until `pass`. False if the task was cancelled first: then it has none.
    func take() async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let turn: Bool? = state.withLock { state in
                    // A cancellation from here on finds the continuation.
                    if Task.isCancelled { return false }
                    if state.isTaken {
                        state.waiting.append((number, continuation))
                        return nil
                    }
                    state.isTaken = true
                    return true
                }
                if let turn { continuation.resume(returning: turn) }
            }
        } onCancel: {
            leave(number)
        }
    }

    /// Hands the turn on.
    func pass() {
        let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }

    private func leave(_ number: Int) {
        let waiting: CheckedContinuation<Bool, Never>? = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
        }
        waiting?.resume(returning: false)
    }
}
