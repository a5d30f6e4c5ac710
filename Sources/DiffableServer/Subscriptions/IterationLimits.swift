import Diffable
import DiffableStore

/// Bounds on long work in one iteration of the event loop. Longer work is done in the background.
package struct IterationLimits: Sendable {
    /// Work at most, counted in looks at 64 bytes of an item, for all views of a list together: a few milliseconds.
    package var workMax = 4_096

    /// Rows of one user's windows brought up to date at once between two polls of the sockets: about a millisecond.
    package var rowsFollowedMax = 4_096

    package init() {}

    /// Pages of 32 items in which two states may differ for their diff to be computed at once.
    var pagesMax: Int { workMax / 64 }

    /// Bytes of the longest line that is read at once: about half a millisecond.
    var lineLengthMax: Int { 32 * workMax }

    /// Items of the largest state that is freed at once: a few milliseconds.
    var itemsFreedMax: Int { 2 * workMax }

    /// Orders of its items kept for a list at a time (`ValueIndexCache`), each of some 40 bytes per item.
    var ordersMax: Int { 4 }
}

extension [ListOperation] {
    /// Whether their items are too many to visit in one iteration of the event loop.
    func isLong(in turn: IterationLimits) -> Bool { size(max: turn.itemsFreedMax) > turn.itemsFreedMax }
}

extension Snapshot {
    /// Whether the diff from another state can be computed in one iteration of the event loop.
    func sharesMostPages(with old: Snapshot, in turn: IterationLimits) -> Bool {
        sharesMostPages(with: old, pagesMax: turn.pagesMax)
    }
}
