import Synchronization

@testable import DiffableFeed

/// Collects the states of a source.
final class Collected: Sendable {
    private let states = Mutex<[FeedState]>([])

    func append(_ state: FeedState) { states.withLock { $0.append(state) } }

    var values: [FeedState] { states.withLock(\.self) }
}
