/// Limits how much a new state may delete from a list. A failing program often writes nothing, and that must not empty a list.
package struct DeletionRule: Equatable, Sendable {
    package var allowsEmpty: Bool
    /// Nil for any number.
    package var limit: DeletionLimit?

    package init(allowsEmpty: Bool, limit: DeletionLimit? = nil) {
        self.allowsEmpty = allowsEmpty
        self.limit = limit
    }

    package struct Change: Sendable {
        package var deleted: Int
        package var deletedSections: Int
        package var inserted: Int

        package init(deleted: Int, deletedSections: Int, inserted: Int) {
            self.deleted = deleted
            self.deletedSections = deletedSections
            self.inserted = inserted
        }
    }

    /// Why a new state is refused. `share` is such as `2 of the 3 items`, `all 3 items` or `the only item`.
    package enum Refusal: Error {
        case empty(share: String)
        case tooMuch(share: String, limit: DeletionLimit)
    }

    /// Throws if the change would delete too much. `count` is the number of items after the change.
    package func check(_ change: Change, to count: Int) throws(Refusal) {
        let before = count + change.deleted - change.inserted
        if count == 0, change.deleted > 0 || change.deletedSections > 0, !allowsEmpty {
            let (number, word) = change.deleted > 0 ? (change.deleted, "item") : (change.deletedSections, "section")
            throw .empty(share: Self.share(number, of: number, word))
        }
        if let limit, !limit.allows(change.deleted, of: before) {
            throw .tooMuch(share: Self.share(change.deleted, of: before, "item"), limit: limit)
        }
    }

    private static func share(_ count: Int, of all: Int, _ noun: String) -> String {
        if count < all { return "\(grouped(count)) of the \(counted(all, noun))" }
        return all == 1 ? "the only \(noun)" : "all \(counted(all, noun))"
    }
}
