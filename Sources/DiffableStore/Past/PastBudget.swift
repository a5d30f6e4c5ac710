import DequeModule
import HeapModule

/// The budget that the pasts of all lists share, and whose past is cut first.
///
/// The newest change of all does not count, so nobody loses anything by a change that is large until there is a next one.
/// Of the others, the past of the list that was changed least recently is cut first, from its oldest state on. Only when
/// nothing else is left, newest states are cut, the largest first. So one that takes no more than the budget divided by
/// the number of lists stays whatever others change: when it is cut, all that are left are no larger.
///
/// A change and the cuts that it causes cost O(log lists) amortised.
struct PastBudget<List: AnyObject> {
    /// In bytes.
    private(set) var cost = 0

    private struct Share {
        let list: List
        var cost: Int
        /// The number of its last change, among the changes of all lists.
        var change: Int
        /// Only its newest state is left.
        var isBare = false
    }

    private var shares: [ObjectIdentifier: Share] = [:]
    private var lastChange = 0
    /// The list that was changed last, and what it costs to keep its newest state.
    private var last: (list: ObjectIdentifier, newestCost: Int)?
    /// In the order of their last changes, oldest first. Outdated elements are skipped.
    private var order: Deque<QueuedList> = []
    /// Lists of which only the newest state is left. Outdated elements are skipped.
    private var bareLists: Heap<BareList> = []

    private struct QueuedList {
        let list: ObjectIdentifier
        let change: Int
    }

    private struct BareList: Comparable {
        let list: ObjectIdentifier
        let change: Int
        let cost: Int

        /// Of two that are as large, the one that was changed before the other is cut first.
        static func < (one: Self, other: Self) -> Bool { (one.cost, other.change) < (other.cost, one.change) }
    }

    /// What counts of all pasts, in bytes.
    private var costCounted: Int {
        guard let last, let share = shares[last.list] else { return cost }
        return cost - min(last.newestCost, share.cost)
    }

    /// The list has changed, and its past takes this much now, in bytes; its newest state alone so much of it.
    mutating func noteChange(of list: List, cost: Int, newest newestCost: Int) {
        lastChange += 1
        let id = ObjectIdentifier(list)
        self.cost += cost - (shares[id]?.cost ?? 0)
        shares[id] = Share(list: list, cost: cost, change: lastChange)
        last = (id, newestCost)
        order.append(QueuedList(list: id, change: lastChange))
        if order.count > 2 * shares.count + 64 {
            order.removeAll { queued in shares[queued.list].map { $0.change != queued.change || $0.isBare } ?? true }
        }
        if bareLists.count > 2 * shares.count + 64 {
            bareLists = Heap(bareLists.unordered.filter { shares[$0.list]?.change == $0.change })
        }
    }

    /// Its past takes this much now, in bytes, without a change.
    mutating func set(_ cost: Int, of list: List) {
        let id = ObjectIdentifier(list)
        self.cost += cost - (shares[id]?.cost ?? cost)
        shares[id]?.cost = cost
    }

    /// The list has no past any more.
    mutating func remove(_ list: List) {
        let id = ObjectIdentifier(list)
        if let share = shares.removeValue(forKey: id) { cost -= share.cost }
        // Another object may get the same identity.
        if last?.list == id { last = nil }
    }

    /// Shortens pasts until they take no more than `max` bytes, beside the newest change of all. With 0, nothing is kept.
    /// - Parameter shorten: lets go of so many bytes of a list's past, or more, or all that is to go, and answers how many
    ///   are left.
    mutating func keep(within max: Int, _ shorten: (List, _ excess: Int, PastCut) -> Int) {
        if max == 0 { last = nil }
        while costCounted > max, let queued = order.first {
            guard let share = shares[queued.list], share.change == queued.change, !share.isBare else {
                order.removeFirst()
                continue
            }
            set(shorten(share.list, costCounted - max, .older), of: share.list)
            guard costCounted > max else { return }
            shares[queued.list]?.isBare = true
            order.removeFirst()
            bareLists.insert(
                BareList(list: queued.list, change: queued.change, cost: shares[queued.list]?.cost ?? 0))
        }
        var newestOfAll: BareList?
        while costCounted > max, let bare = bareLists.popMax() {
            guard let share = shares[bare.list], share.change == bare.change else { continue }
            if bare.list == last?.list {
                newestOfAll = bare
            } else {
                set(shorten(share.list, costCounted - max, .newest), of: share.list)
            }
        }
        // It counts when there is a newer one.
        if let newestOfAll { bareLists.insert(newestOfAll) }
    }
}

/// Which part of a list's past is cut.
enum PastCut {
    /// All but its newest state.
    case older
    /// Also its newest state, the only one that is left.
    case newest
}
