import Diffable
import DiffableJSON

/// What a list says of the contents of its items, and when that was said.
///
/// A class, like `ListState`, so that handing it on costs one reference.
package final class ListSchemas: Sendable {
    /// Empty when they were taken away.
    package let set: SchemaSet
    /// What was asked for when they were set. If it is `areKept`, there may be items that do not fit.
    package let existing: ExistingItems
    /// The last of them set these schemas. Oldest first.
    package let changes: [SchemaChange]
    /// What they take of the limit for their owner, in bytes.
    let lengthCounted: Int

    /// How many changes are remembered of a list.
    static let changesMax = 16

    init(_ set: SchemaSet, existing: ExistingItems, changes: [SchemaChange]) {
        self.set = set
        self.existing = existing
        self.changes = changes
        lengthCounted = set.lengthInMemory + changes.count * SchemaChange.length
    }

    /// - Parameter former: what they replace.
    convenience init(_ set: SchemaSet, existing: ExistingItems, by change: SchemaChange, after former: ListSchemas?) {
        let changes = ((former?.changes ?? []) + [change]).suffix(Self.changesMax)
        self.init(set, existing: existing, changes: Array(changes))
    }
}

extension ListSchemas {
    /// Throws when an item that a change writes does not fit. See `SchemaSet.check`.
    func check(
        _ difference: [ListOperation], to new: Snapshot, of list: ListName, _ request: [ListOperation] = []
    ) throws(StoreError) {
        do throws(InvalidContent) {
            try set.check(difference, to: new, request: request)
        } catch {
            throw .invalidContent(list, error)
        }
    }
}

/// The schemas of a list were set, or taken away.
package struct SchemaChange: Sendable, Equatable {
    /// The revision that the list had.
    package let revision: Int
    package let moment: Moment
    /// Nil if that is not known.
    package let origin: Origin?
    /// How many kinds had a schema then.
    package let numberOfKinds: Int

    /// About what one takes in memory, in bytes.
    static let length = 128
}
