import Diffable
import DiffableJSON
import DiffableStore

/// The items of a list, ordered by values that many of its views compare, to start such views faster.
///
/// Without an order, a new view looks at all items; with one, only at the items that it shows. The background makes an
/// order at the third request: a client that changes its view has two views for a moment. Making it takes about as long
/// as looking at all items, and some 40 bytes per item. An order belongs to one state of the list, and a view that
/// starts with it follows the list from there. So an order is dropped in these cases:
///
/// - The list has changed too much since.
/// - It has not been used for a while.
/// - Fewer than two views compare its values.
/// - Too many orders that were used more recently need the room.
struct ValueIndexCache {
    private var known: [ComparedPath: CachedIndex] = [:]
    /// Requests for an order so far.
    private(set) var timesAsked = 0

    private final class CachedIndex {
        var order: (items: ValueIndex, state: ListState)?
        var isLookedFor = false
        /// Requests since the last order was dropped.
        var asked = 0
        /// Requests that the order has served.
        var served = 0
        /// Requests needed before an order is made: more if the last one was of little use, and 1 if it was useful.
        var askedMin = ValueIndexCache.askedMinUsual
        /// The list's revision when it was last used.
        var lastRevision = 0
        /// The value of `timesAsked` when it was last used.
        var lastTime = 0
        /// Whether it is no longer needed.
        var isForgotten = false

        var takesRoom: Bool { order != nil || isLookedFor }
    }

    enum Answer {
        /// Look at all items instead.
        case isNotWorthIt
        /// Ask again when the order is made.
        case awaited
        case known(ValueIndex, ListState)
    }

    private static let askedMinUsual = 3
    private static let askedMinMax = 64
    /// The age at which an unused order is dropped, in revisions.
    private static let ageMax = 1_000

    mutating func index(
        at path: ComparedPath, for goal: ListState, _ background: Background, whenThere: @escaping () -> Void
    ) -> Answer {
        let kept = known[path] ?? CachedIndex()
        known[path] = kept
        timesAsked += 1
        (kept.lastRevision, kept.lastTime) = (goal.revision, timesAsked)
        if kept.isLookedFor { return .awaited }
        if let order = kept.order {
            if goal.snapshot.sharesMostPages(with: order.items.list, in: background.turn) {
                kept.served += 1
                return .known(order.items, order.state)
            }
            dropIndex(kept, background)
        }
        kept.asked += 1
        guard kept.asked >= kept.askedMin, makeRoom(background) else { return .isNotWorthIt }
        kept.isLookedFor = true
        let (list, size) = (goal.snapshot, goal.snapshot.numberOfItems)
        background.compute(size: size, while: { true }, { ValueIndex(list, by: path.appendKey) }) { order in
            kept.isLookedFor = false
            if kept.isForgotten { background.free(order, size: size) } else { kept.order = (order, goal) }
            whenThere()
        }
        return .awaited
    }

    /// Makes room for one more order by dropping the least recently used one. Returns false if all are still being
    /// made.
    private func makeRoom(_ background: Background) -> Bool {
        let others = known.values.filter(\.takesRoom)
        if others.count < background.turn.ordersMax { return true }
        guard let last = others.filter({ !$0.isLookedFor }).min(by: { $0.lastTime < $1.lastTime }) else { return false }
        dropIndex(last, background)
        return true
    }

    /// Drops orders that are outdated after a step of the list.
    mutating func dropOutdated(after step: Transition, to state: ListState, _ background: Background) {
        if known.isEmpty { return }
        let isLong = step.operationsAtOnce(in: background.turn) == nil
        for kept in known.values where isLong || state.revision - kept.lastRevision > Self.ageMax {
            dropIndex(kept, background)
        }
    }

    /// Forgets the order of values that fewer than two views compare.
    mutating func forget(_ path: ComparedPath, _ background: Background) {
        guard let kept = known.removeValue(forKey: path) else { return }
        kept.isForgotten = true
        dropIndex(kept, background)
    }

    private func dropIndex(_ kept: CachedIndex, _ background: Background) {
        guard let order = kept.order else { return }
        kept.askedMin = kept.served < kept.askedMin ? min(2 * kept.askedMin, Self.askedMinMax) : 1
        (kept.order, kept.asked, kept.served) = (nil, 0, 0)
        background.free(order.items, size: order.items.list.numberOfItems)
    }
}
