import Synchronization

/// Takes the wishes of users for a running feed: to run now, to pause, to resume.
final class FeedControl: Sendable {
    typealias Answer = CheckedContinuation<Result<Void, any Error>, Never>

    private struct State {
        var isPaused = false
        var isRunWanted = false
        /// Callers that wait for a run to begin, and callers that wait for the current run to end.
        var waiting: [Int: Answer] = [:]
        var served: [Int: Answer] = [:]
        var lastNumber = 0

        mutating func takeAll() -> [Answer] {
            defer { (waiting, served) = ([:], [:]) }
            return Array(waiting.values) + Array(served.values)
        }
    }

    private let state = Mutex(State())
    /// Signalled for each wish and each changed file, to wake a feed between two runs.
    let wakeSignal = WakeSignal()
    /// Ends a run of a source that runs until it fails.
    let interruption = WakeSignal()

    var isPaused: Bool { state.withLock(\.isPaused) }
    /// Whether a feed that waits for its next run should stop waiting.
    var hasWish: Bool { state.withLock { $0.isPaused || $0.isRunWanted } }

    func pause() {
        let answers = state.withLock { state in
            (state.isPaused, state.isRunWanted) = (true, false)
            return state.takeAll()
        }
        for answer in answers { answer.resume(returning: .failure(FeedError("the feed was paused"))) }
        wakeFeed()
    }

    /// Returns false if the feed was not paused.
    func resume() -> Bool {
        let wasPaused = state.withLock { state in
            defer { state.isPaused = false }
            if state.isPaused { state.isRunWanted = true }
            return state.isPaused
        }
        if wasPaused { wakeFeed() }
        return wasPaused
    }

    /// Has the feed run as soon as the current run is over.
    func demandRun() {
        state.withLock { $0.isRunWanted = !$0.isPaused }
        wakeFeed()
    }

    /// Has the feed run, and waits until that run has ended or delivered. Throws the reason if it failed.
    func run() async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let result: Result<Void, any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let refusal: (any Error)? = state.withLock { state in
                    if Task.isCancelled { return CancellationError() }
                    if state.isPaused { return FeedError("the feed is paused; resume it first") }
                    state.waiting[number] = continuation
                    state.isRunWanted = true
                    return nil
                }
                if let refusal { continuation.resume(returning: .failure(refusal)) }
                wakeFeed()
            }
        } onCancel: {
            let answer = state.withLock { state in
                state.waiting.removeValue(forKey: number) ?? state.served.removeValue(forKey: number)
            }
            answer?.resume(returning: .failure(CancellationError()))
        }
        try result.get()
    }

    private func wakeFeed() {
        interruption.signal()
        wakeSignal.signal()
    }

    // MARK: - For the feed

    /// Takes the pending request for a run. Returns whether there was one.
    func takeRun() -> Bool {
        state.withLock { state in
            defer { state.isRunWanted = false }
            return state.isRunWanted
        }
    }

    /// A run begins. It serves all callers so far.
    func begin() {
        state.withLock { state in
            state.isRunWanted = false
            state.served.merge(state.waiting) { $1 }
            state.waiting = [:]
        }
    }

    /// The current run has delivered, has ended, or has failed.
    func end(_ result: Result<Void, any Error>) {
        let answers = state.withLock { state in
            defer { state.served = [:] }
            return state.served.values
        }
        for answer in answers { answer.resume(returning: result) }
    }

    /// The feed has ended.
    func close() {
        for answer in state.withLock({ $0.takeAll() }) {
            answer.resume(returning: .failure(FeedError("the feed has ended, because its file was read again")))
        }
    }
}
