import Diffable
import DiffableInput
import Synchronization

/// The source's output that is not sent yet: the newest complete state, and the items after it.
final class PendingFeedOutput: Sendable {
    typealias Whole = FeedSettings.Whole

    struct Batch {
        var whole: Whole?
        /// A later item replaces an earlier one with the same id.
        var changes: [StreamedChange] = []
        /// The number of deliveries up to and including this batch.
        fileprivate var number = 0

        var isEmpty: Bool { whole == nil && changes.isEmpty }
    }

    /// The number of items that are kept while no daemon is running. Older items are dropped when there are twice as many.
    static let itemsMax = 10_000
    /// The limit for the contents of the kept items, in bytes. Older items are dropped in the same way.
    private let lengthMax: Int

    private struct State {
        var batch = Batch()
        /// Bytes of the contents of the items in `batch`.
        var length = 0
        var sent = 0
        var waiting: [Int: (number: Int, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var lastWaiting = 0

        /// Removes the waiters for this delivery and for earlier ones.
        mutating func end(upTo number: Int) -> [CheckedContinuation<Void, any Error>] {
            let over = waiting.filter { $0.value.number <= number }
            for key in over.keys { waiting[key] = nil }
            return over.values.map(\.continuation)
        }
    }

    private let state = Mutex(State())
    private let wakeSignal: WakeSignal

    init(_ wakeSignal: WakeSignal, lengthMax: Int = FeedLimits.sourceLengthMax) {
        self.wakeSignal = wakeSignal
        self.lengthMax = lengthMax
    }

    func append(_ news: FeedState) {
        state.withLock { state in
            switch news {
            case .whole(let input), .incomplete(let input, _):
                (state.batch.whole, state.batch.changes, state.length) = (.input(input), [], 0)
            case .snapshot(let snapshot):
                (state.batch.whole, state.batch.changes, state.length) = (.snapshot(snapshot), [], 0)
            case .change(let change):
                state.batch.changes.append(change)
                state.length += change.length
                if state.batch.changes.count > 2 * Self.itemsMax || state.length > 2 * lengthMax {
                    (state.batch.changes, state.length) = newest(state.batch.changes)
                }
            case .failure, .blindness: return
            }
            state.batch.number += 1
        }
        wakeSignal.signal()
    }

    /// The newest changes that are kept, and the bytes of their contents.
    private func newest(_ changes: [StreamedChange]) -> (changes: [StreamedChange], length: Int) {
        var (count, length) = (0, 0)
        for change in changes.suffix(Self.itemsMax).reversed() {
            let more = change.length
            guard count == 0 || length + more <= lengthMax else { break }
            (count, length) = (count + 1, length + more)
        }
        return (changes.suffix(count), length)
    }

    var isEmpty: Bool { state.withLock(\.batch.isEmpty) }

    /// Takes the whole batch; nil if there is nothing to send. `earlier` is a batch that was taken before and could not be sent.
    func take(after earlier: Batch?) -> Batch? {
        let new = state.withLock { state in
            defer { (state.batch.whole, state.batch.changes, state.length) = (nil, [], 0) }
            return state.batch
        }
        guard new.whole == nil, let earlier else { return new.isEmpty ? earlier : new }
        return Batch(
            whole: earlier.whole, changes: newest(earlier.changes + new.changes).changes, number: new.number)
    }

    // MARK: - Waiting until it is sent

    /// Waits until everything delivered so far is in the list. Throws the reason if it cannot be sent.
    func waitUntilSent() async throws {
        let key = state.withLock { state in
            state.lastWaiting += 1
            return state.lastWaiting
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.batch.number <= state.sent { return .success(()) }
                    state.waiting[key] = (state.batch.number, continuation)
                    return nil
                }
                if let isOver { continuation.resume(with: isOver) }
            }
        } onCancel: {
            let waiting = state.withLock { $0.waiting.removeValue(forKey: key) }
            waiting?.continuation.resume(throwing: CancellationError())
        }
    }

    func noteSent(_ batch: Batch) {
        let over = state.withLock { state in
            state.sent = max(state.sent, batch.number)
            return state.end(upTo: state.sent)
        }
        for continuation in over { continuation.resume() }
    }

    func noteFailure(_ error: any Error) {
        let over = state.withLock { $0.end(upTo: .max) }
        for continuation in over { continuation.resume(throwing: error) }
    }
}

extension StreamedChange {
    /// Bytes of the contents.
    fileprivate var length: Int {
        switch self {
        case .merge(let input): input.contentsLength
        case .removal: 0
        }
    }
}
