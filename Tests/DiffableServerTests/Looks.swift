import Diffable
import DiffableJSON
import Synchronization

/// Counts evaluations of items.
final class Looks: Sendable {
    private let count = Mutex(0)

    func add() { count.withLock { $0 += 1 } }

    /// Returns the number since the last call.
    func take() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    /// Returns a view that counts each evaluation of an item.
    func view(_ json: String) throws -> View {
        var view = try Array(json.utf8).withUnsafeBytes { try View(json: $0) }
        let plain = view
        view.matching = Selection(isMatch: { item in
            self.add()
            return plain.isMet(by: item)
        })
        return view
    }
}
