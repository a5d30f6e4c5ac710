import Synchronization

/// Limits how many tasks work at a time, and admits them in the order in which their places were taken. An actor would not do:
/// it admits the next task whenever the previous one waits.
package final class FairSemaphore: Sendable {
    /// A place in the line, which is used once.
    package struct Ticket: Sendable {
        fileprivate let number: Int
    }

    private typealias Continuation = CheckedContinuation<Bool, Never>

    private struct State {
        var free: Int
        var lastNumber = 0
        /// The waiting tasks, in order. No task passes the first, even if its continuation is not stored yet.
        var line: [(number: Int, continuation: Continuation?)] = []
        var isClosed = false
        /// Resumed when no task works any more.
        var whenIdle: CheckedContinuation<Void, Never>?

        mutating func admit() -> [Continuation] {
            var admitted: [Continuation] = []
            while free > 0, let next = line.first?.continuation {
                line.removeFirst()
                free -= 1
                admitted.append(next)
            }
            return admitted
        }
    }

    private let width: Int
    private let state: Mutex<State>

    /// `width` is the number of tasks that may work at a time, at least one.
    package init(width: Int = 1) {
        self.width = width
        state = Mutex(State(free: width))
    }

    package func enqueue() -> Ticket {
        state.withLock { state in
            state.lastNumber += 1
            state.line.append((state.lastNumber, nil))
            return Ticket(number: state.lastNumber)
        }
    }

    /// Does the work when its turn is reached. Throws `CancellationError` if the task was cancelled before that, or the
    /// semaphore was closed.
    package func run<R>(at place: Ticket, _ work: () async throws -> R) async throws -> R {
        guard await acquire(place) else { throw CancellationError() }
        defer { release() }
        return try await work()
    }

    func acquire() async -> Bool { await acquire(enqueue()) }

    /// Waits for a turn, which lasts until `release`. False without a turn, if the task was cancelled first or the
    /// semaphore was closed.
    func acquire(_ place: Ticket) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isOut, admitted): (Bool, [Continuation]) = state.withLock { state in
                    guard let index = state.line.firstIndex(where: { $0.number == place.number }) else {
                        return (true, [])
                    }
                    // A later cancellation finds the continuation.
                    let isOut = Task.isCancelled || state.isClosed
                    if isOut { state.line.remove(at: index) } else { state.line[index].continuation = continuation }
                    return (isOut, state.admit())
                }
                if isOut { continuation.resume(returning: false) }
                for next in admitted { next.resume(returning: true) }
            }
        } onCancel: {
            cancel(place)
        }
    }

    func release() {
        let (admitted, idle): ([Continuation], CheckedContinuation<Void, Never>?) = state.withLock { state in
            state.free += 1
            let admitted = state.admit()
            guard state.free == width else { return (admitted, nil) }
            defer { state.whenIdle = nil }
            return (admitted, state.whenIdle)
        }
        for next in admitted { next.resume(returning: true) }
        idle?.resume()
    }

    /// Admits no more tasks. Returns when the last one has finished.
    package func close() async {
        let line = state.withLock { state in
            state.isClosed = true
            defer { state.line.removeAll { $0.continuation != nil } }
            return state.line
        }
        for (_, continuation) in line { continuation?.resume(returning: false) }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.free < width { state.whenIdle = continuation }
                return state.free == width
            }
            if isIdle { continuation.resume() }
        }
    }

    /// A task that has not reached its place yet notices the cancellation itself.
    private func cancel(_ place: Ticket) {
        let (waiting, admitted): (Continuation?, [Continuation]) = state.withLock { state in
            guard let index = state.line.firstIndex(where: { $0.number == place.number }),
                let waiting = state.line[index].continuation
            else { return (nil, []) }
            state.line.remove(at: index)
            return (waiting, state.admit())
        }
        waiting?.resume(returning: false)
        for next in admitted { next.resume(returning: true) }
    }

    // MARK: For tests

    package var numberWaiting: Int { state.withLock { $0.line.count { $0.continuation != nil } } }
    package var numberWorking: Int { state.withLock { width - $0.free } }
    package var isClosed: Bool { state.withLock { $0.isClosed } }
}
