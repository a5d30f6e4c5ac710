import DequeModule
import HeapModule

/// The memory budget that the histories of all lists share. It decides which history is cut first.
///
/// The newest change of all lists does not count, so a large change costs nothing until the next change. Otherwise the
/// list that was changed least recently is cut first, from its oldest state on. Newest states are cut only when nothing
/// else is left, the largest first. So a newest state that takes at most the budget divided by the number of lists is
/// never cut: once all larger ones are cut, the rest is within the budget.
///
/// A change with the cuts it causes costs O(log lists) amortised.
struct HistoryBudget<List: AnyObject> {
    /// In bytes.
    private(set) var cost = 0

    private struct Share {
        let list: List
        var cost: Int
        /// The number of its last change, counted over all lists.
        var change: Int
        var isBare = false
    }

    private var shares: [ObjectIdentifier: Share] = [:]
    private var lastChange = 0
    /// The list that was changed last, and the cost of its newest state.
    private var last: (list: ObjectIdentifier, newestCost: Int)?
    /// By last change, oldest first. Outdated elements are skipped.
    private var order: Deque<QueuedList> = []
    /// Lists with only their newest state left. Outdated elements are skipped.
    private var bareLists: Heap<BareList> = []

    private struct QueuedList {
        let list: ObjectIdentifier
        let change: Int
    }

    private struct BareList: Comparable {
        let list: ObjectIdentifier
        let change: Int
        let cost: Int

        /// If two are equally large, the one that was changed earlier is cut first.
        static func < (one: Self, other: Self) -> Bool { (one.cost, other.change) < (other.cost, one.change) }
    }

    /// The part of `cost` that counts towards the limit, in bytes.
    private var costCounted: Int {
        guard let last, let share = shares[last.list] else { return cost }
        return cost - min(last.newestCost, share.cost)
    }

    /// Records a change of a list, with the new cost of its history and of its newest state alone, in bytes.
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

    /// Updates the cost of its history, in bytes, without a change of the list.
    mutating func set(_ cost: Int, of list: List) {
        let id = ObjectIdentifier(list)
        self.cost += cost - (shares[id]?.cost ?? cost)
        shares[id]?.cost = cost
    }

    mutating func remove(_ list: List) {
        let id = ObjectIdentifier(list)
        if let share = shares.removeValue(forKey: id) { cost -= share.cost }
        // A new object may reuse the identity.
        if last?.list == id { last = nil }
    }

    /// Shortens histories until they cost at most `max` bytes, not counting the newest change of all. With 0, nothing is kept.
    /// - Parameter shorten: drops at least `excess` bytes of a list's history, or everything that the cut allows, and
    ///   returns the remaining cost.
    mutating func keep(within max: Int, _ shorten: (List, _ excess: Int, HistoryCut) -> Int) {
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
        // It counts once there is a newer one.
        if let newestOfAll { bareLists.insert(newestOfAll) }
    }
}

enum HistoryCut {
    /// Everything except its newest state.
    case older
    /// Also its newest state, the only one left.
    case newest
}
