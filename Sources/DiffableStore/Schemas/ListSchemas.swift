import Diffable
import DiffableJSON

/// A list's schemas, and the history of their changes.
///
/// A class, so that passing it on costs one reference.
package final class ListSchemas: Sendable {
    /// Empty if the schemas were removed.
    package let set: SchemaSet
    /// Whether existing items were checked when the schemas were set. With `areKept`, some may not match.
    package let existing: ExistingItems
    /// Oldest first. The last one set the current schemas.
    package let changes: [SchemaChange]
    /// The bytes that count towards the owner's limit.
    let lengthCounted: Int

    static let changesMax = 16

    init(_ set: SchemaSet, existing: ExistingItems, changes: [SchemaChange]) {
        self.set = set
        self.existing = existing
        self.changes = changes
        lengthCounted = set.lengthInMemory + changes.count * SchemaChange.length
    }

    /// - Parameter former: the schemas they replace.
    convenience init(_ set: SchemaSet, existing: ExistingItems, by change: SchemaChange, after former: ListSchemas?) {
        let changes = ((former?.changes ?? []) + [change]).suffix(Self.changesMax)
        self.init(set, existing: existing, changes: Array(changes))
    }
}

extension ListSchemas {
    /// Throws if an item that a change writes does not match. See `SchemaSet.check`.
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

package struct SchemaChange: Sendable, Equatable {
    package let revision: Int
    package let moment: Moment
    package let origin: Origin?
    /// The number of kinds with a schema after the change.
    package let numberOfKinds: Int

    /// The approximate memory of one change, in bytes.
    static let length = 128
}
