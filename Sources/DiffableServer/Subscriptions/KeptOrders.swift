import Diffable
import DiffableJSON
import DiffableStore

/// The items of a list in the order of values that many of its views compare, for those who come to such a view.
///
/// Without an order all items are looked at for each newcomer, with one only those that it shows. It is made in the
/// background when the third asks: who goes from one view to another has two for a moment. That takes about as long as to
/// look at all items, and some 40 bytes for each. It is of one state of the list, and those who begin with it follow the
/// list from there. So it is given up when the list has moved on far, when nobody has used it for a while, when there are
/// no two views any more that compare these values, and when too many others are wanted that were used later.
struct KeptOrders {
    private var known: [ComparedPath: Kept] = [:]
    /// How often anybody has asked for one.
    private(set) var timesAsked = 0

    private final class Kept {
        var order: (items: ItemOrder, state: ListState)?
        var isLookedFor = false
        /// How many have asked since there was none.
        var asked = 0
        /// How many it has served.
        var served = 0
        /// How many have to ask until it is made: more if the last one was of no use, and one if it was.
        var askedMin = KeptOrders.askedMinUsual
        /// The list's, when it was used last.
        var lastRevision = 0
        /// Which time of asking that was.
        var lastTime = 0
        /// Nobody will ask for it any more.
        var isForgotten = false

        var takesRoom: Bool { order != nil || isLookedFor }
    }

    enum Answer {
        /// Look at all items.
        case isNotWorthIt
        /// Ask again when it is there.
        case awaited
        case known(ItemOrder, ListState)
    }

    private static let askedMinUsual = 3
    private static let askedMinMax = 64
    /// In revisions.
    private static let ageMax = 1_000

    mutating func order(
        at path: ComparedPath, for goal: ListState, _ background: Background, whenThere: @escaping () -> Void
    ) -> Answer {
        let kept = known[path] ?? Kept()
        known[path] = kept
        timesAsked += 1
        (kept.lastRevision, kept.lastTime) = (goal.revision, timesAsked)
        if kept.isLookedFor { return .awaited }
        if let order = kept.order {
            if goal.snapshot.isNear(order.items.list, in: background.turn) {
                kept.served += 1
                return .known(order.items, order.state)
            }
            giveUp(kept, background)
        }
        kept.asked += 1
        guard kept.asked >= kept.askedMin, makeRoom(background) else { return .isNotWorthIt }
        kept.isLookedFor = true
        let (list, size) = (goal.snapshot, goal.snapshot.numberOfItems)
        background.find(size: size, while: { true }, { ItemOrder(list, by: path.appendKey) }) { order in
            kept.isLookedFor = false
            if kept.isForgotten { background.free(order, size: size) } else { kept.order = (order, goal) }
            whenThere()
        }
        return .awaited
    }

    /// For one more: the one goes that was used least recently. False when all are still being made.
    private func makeRoom(_ background: Background) -> Bool {
        let others = known.values.filter(\.takesRoom)
        if others.count < background.turn.ordersMax { return true }
        guard let last = others.filter({ !$0.isLookedFor }).min(by: { $0.lastTime < $1.lastTime }) else { return false }
        giveUp(last, background)
        return true
    }

    /// The list takes a step.
    mutating func note(_ step: Transition, to state: ListState, _ background: Background) {
        if known.isEmpty { return }
        let isLong = step.operationsAtOnce(in: background.turn) == nil
        for kept in known.values where isLong || state.revision - kept.lastRevision > Self.ageMax {
            giveUp(kept, background)
        }
    }

    /// No two views compare these values any more.
    mutating func forget(_ path: ComparedPath, _ background: Background) {
        guard let kept = known.removeValue(forKey: path) else { return }
        kept.isForgotten = true
        giveUp(kept, background)
    }

    private func giveUp(_ kept: Kept, _ background: Background) {
        guard let order = kept.order else { return }
        kept.askedMin = kept.served < kept.askedMin ? min(2 * kept.askedMin, Self.askedMinMax) : 1
        (kept.order, kept.asked, kept.served) = (nil, 0, 0)
        background.free(order.items, size: order.items.list.numberOfItems)
    }
}
