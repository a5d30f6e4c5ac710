import Diffable
import DiffableInput
import Synchronization

/// What a source brought and nobody has sent yet: the newest state, and the items that came after it.
final class FeedNews: Sendable {
    typealias Whole = FeedSettings.Whole

    struct Batch {
        var whole: Whole?
        /// Those that come later win.
        var items: [Input] = []
        /// How many had come, with these.
        fileprivate var number = 0

        var isEmpty: Bool { whole == nil && items.isEmpty }
    }

    /// While nobody can send them, so many items are kept; then the oldest are left out.
    static let itemsMax = 10_000

    private struct State {
        var batch = Batch()
        /// How many have been sent of those that have come.
        var sent = 0
        var waiting: [Int: (number: Int, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var lastWaiting = 0

        /// Takes out those who wait for so many, or for fewer.
        mutating func end(upTo number: Int) -> [CheckedContinuation<Void, any Error>] {
            let over = waiting.filter { $0.value.number <= number }
            for key in over.keys { waiting[key] = nil }
            return over.values.map(\.continuation)
        }
    }

    private let state = Mutex(State())
    private let bell: Bell

    init(_ bell: Bell) { self.bell = bell }

    func append(_ news: FeedState) {
        state.withLock { state in
            switch news {
            case .whole(let input), .incomplete(let input, _):
                (state.batch.whole, state.batch.items) = (.input(input), [])
            case .snapshot(let snapshot): (state.batch.whole, state.batch.items) = (.snapshot(snapshot), [])
            case .items(let input):
                state.batch.items.append(input)
                if state.batch.items.count > 2 * Self.itemsMax { state.batch.items.removeFirst(Self.itemsMax) }
            case .failure, .blindness: return
            }
            state.batch.number += 1
        }
        bell.ring()
    }

    var isEmpty: Bool { state.withLock(\.batch.isEmpty) }

    /// All of it, once; nil when there is nothing.
    ///
    /// - Parameter earlier: what was taken before, and could not be sent.
    func take(after earlier: Batch?) -> Batch? {
        let new = state.withLock { state in
            defer { (state.batch.whole, state.batch.items) = (nil, []) }
            return state.batch
        }
        guard new.whole == nil, let earlier else { return new.isEmpty ? earlier : new }
        return Batch(whole: earlier.whole, items: (earlier.items + new.items).suffix(Self.itemsMax), number: new.number)
    }

    // MARK: - Waiting until it is sent

    /// Waits until all that has come until now is in the list. Throws why it is not.
    func sent() async throws {
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

    /// What was taken is in the list.
    func note(sent batch: Batch) {
        let over = state.withLock { state in
            state.sent = max(state.sent, batch.number)
            return state.end(upTo: state.sent)
        }
        for continuation in over { continuation.resume() }
    }

    /// The list did not take what was taken last.
    func note(refused error: any Error) {
        let over = state.withLock { $0.end(upTo: .max) }
        for continuation in over { continuation.resume(throwing: error) }
    }
}
