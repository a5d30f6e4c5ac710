import Synchronization

/// Lets so many tasks work at a time. Of those that wait, the one with the lowest number is next.
final class JobQueue: Sendable {
    private struct State {
        var free: Int
        var isClosed = false
        var lastTicket = 0
        var waiting: [Waiting] = []
        var whenIdle: CheckedContinuation<Void, Never>?
    }

    private struct Waiting {
        /// Told only by the queue, so that no two have the same.
        var ticket: Int
        var number: Int
        var continuation: CheckedContinuation<Bool, Never>
    }

    private let width: Int
    private let state: Mutex<State>

    /// - Parameter width: how many work at a time, at least one.
    init(width: Int) {
        self.width = width
        state = Mutex(State(free: width))
    }

    var numberWaiting: Int { state.withLock { $0.waiting.count } }
    /// How many work at this moment.
    var numberWorking: Int { state.withLock { width - $0.free } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Does the work when it is its turn. Throws `CancellationError` when the task was cancelled before, or the queue
    /// closed.
    func run<R>(_ number: Int, _ work: () async throws -> R) async throws -> R {
        guard await take(number) else { throw CancellationError() }
        defer { pass() }
        return try await work()
    }

    /// Nothing begins any more. Returns when all that had begun is over.
    func close() async {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiting in waiting { waiting.continuation.resume(returning: false) }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.free < width { state.whenIdle = continuation }
                return state.free == width
            }
            if isIdle { continuation.resume() }
        }
    }

    /// False for one that may not begin.
    private func take(_ number: Int) async -> Bool {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let turn: Bool? = state.withLock { state in
                    // A cancellation from here on finds the continuation.
                    if Task.isCancelled || state.isClosed { return false }
                    if state.free == 0 {
                        state.waiting.append(Waiting(ticket: ticket, number: number, continuation: continuation))
                        return nil
                    }
                    state.free -= 1
                    return true
                }
                if let turn { continuation.resume(returning: turn) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0).continuation }
            }
            continuation?.resume(returning: false)
        }
    }

    private func pass() {
        let next: () -> Void = state.withLock { state in
            let first = state.waiting.indices.min { state.waiting[$0].number < state.waiting[$1].number }
            if let first {
                let continuation = state.waiting.remove(at: first).continuation
                return { continuation.resume(returning: true) }
            }
            state.free += 1
            guard state.free == width, let continuation = state.whenIdle else { return {} }
            state.whenIdle = nil
            return { continuation.resume() }
        }
        next()
    }
}
