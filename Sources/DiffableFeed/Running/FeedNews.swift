import Diffable
import DiffableInput
import Synchronization

/// What a source brought and nobody has sent yet: the newest state, and the items that came after it.
final class FeedNews: Sendable {
    struct Batch {
        var whole: Input?
        /// Those that come later win.
        var items: [Input] = []

        var isEmpty: Bool { whole == nil && items.isEmpty }
    }

    /// While nobody can send them, so many items are kept; then the oldest are left out.
    static let itemsMax = 10_000

    private let state = Mutex(Batch())
    private let bell: Bell

    init(_ bell: Bell) { self.bell = bell }

    func append(_ news: FeedState) {
        state.withLock { state in
            switch news {
            case .whole(let input): (state.whole, state.items) = (input, [])
            case .items(let input):
                state.items.append(input)
                if state.items.count > 2 * Self.itemsMax { state.items.removeFirst(Self.itemsMax) }
            case .failure: return
            }
        }
        bell.ring()
    }

    var isEmpty: Bool { state.withLock(\.isEmpty) }

    /// All of it, once; nil when there is nothing.
    ///
    /// - Parameter earlier: what was taken before, and could not be sent.
    func take(after earlier: Batch?) -> Batch? {
        let new = state.withLock { state in
            defer { state = Batch() }
            return state
        }
        guard new.whole == nil, let earlier else { return new.isEmpty ? earlier : new }
        return Batch(whole: earlier.whole, items: (earlier.items + new.items).suffix(Self.itemsMax))
    }
}
