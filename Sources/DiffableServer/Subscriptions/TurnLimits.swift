import Diffable
import DiffableStore

/// How much of what takes long one turn of the loop has room for; all that is more is for the background.
package struct TurnLimits: Sendable {
    /// In looks at 64 bytes of an item, for all views of a list together: a few milliseconds.
    package var workMax = 4_096

    package init() {}

    /// How many pages of 32 items two states may not share, for their difference to be found at once.
    var pagesMax: Int { workMax / 64 }

    /// How long a line is that is read at once, in bytes: about half a millisecond.
    var lineLengthMax: Int { 32 * workMax }

    /// Of how many items a state is freed at once: a few milliseconds.
    var itemsFreedMax: Int { 2 * workMax }

    /// How many orders of its items are kept of a list at a time (`KeptOrders`), each of some 40 bytes for an item.
    var ordersMax: Int { 4 }
}

extension [ListOperation] {
    /// Whether a turn has no room to go through all that they name.
    func isLong(in turn: TurnLimits) -> Bool { size(max: turn.itemsFreedMax) > turn.itemsFreedMax }
}

extension Snapshot {
    /// Whether a turn has room to find the difference from another state.
    func isNear(_ old: Snapshot, in turn: TurnLimits) -> Bool { isNear(old, pagesMax: turn.pagesMax) }
}
