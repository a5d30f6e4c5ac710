import HeapModule

/// A list and its history after recovery.
///
/// Unchecked, because the thread that makes it does not use it after handing it over.
struct RecoveredList: @unchecked Sendable {
    let heading: ListHeading
    let list: JournalledList
    var history: History
    /// The time of the newest event that ages: the last transaction, request with a key, or deletion.
    var lastChange: RunningTime?
}

/// Collects lists in the order of their numbers as they are recovered, and returns them in the order of their last changes.
///
/// Until then their histories take at most twice the limit of `HistoryBudget`, not counting each list's newest change. It
/// is twice, because after a crash the age of history is not known yet, so entries that are too old still count. As in
/// `HistoryBudget`, the list that was changed least recently is cut first, among the lists so far. Such a cut would happen
/// later anyway, since every further list adds to the total.
struct RecoveryBuffer {
    private(set) var lists: [RecoveredList] = []
    /// The cost of the histories without the newest change of each, in bytes.
    private var cost = 0
    private let costMax: Int
    /// The lists whose histories may be cut. Deleted lists have a separate budget.
    private var leastRecent: Heap<RowAge> = []

    private struct RowAge: Comparable {
        let index: Int
        let time: Int

        static func < (one: Self, other: Self) -> Bool { (one.time, one.index) < (other.time, other.index) }
    }

    init(limits: HistoryLimits) { costMax = 2 * limits.lengthInAllMax }

    mutating func append(_ list: RecoveredList) {
        lists.append(list)
        if list.heading.deletion != nil { return }
        leastRecent.insert(place(of: lists.count - 1))
        cost += list.costOfOlder
        while cost > costMax, let place = leastRecent.min {
            cost -= lists[place.index].shorten(by: cost - costMax)
            if cost > costMax { leastRecent.removeMin() }
        }
    }

    private func place(of index: Int) -> RowAge {
        RowAge(index: index, time: lists[index].lastChange?.milliseconds ?? 0)
    }

    /// The lists by their last changes, most recent last.
    var inOrderOfChanges: [RecoveredList] { lists.indices.map(place).sorted().map { lists[$0.index] } }

    /// Gives each list a new epoch, except for shared lists: missing changes of a shared list arrive from its log
    /// again, so its revisions remain unambiguous.
    mutating func beginEpochs() {
        for index in lists.indices where lists[index].heading.access.sharing == nil {
            let epoch = Epoch.random()
            lists[index].list.mapStates { $0.inEpoch(epoch) }
            lists[index].history = lists[index].history.mapStates { $0.inEpoch(epoch) }
        }
    }
}

extension RecoveredList {
    /// The cost of its history without the newest change, in bytes.
    fileprivate var costOfOlder: Int { list.cost - list.newestCost }

    /// Drops the oldest states worth at least `excess` bytes, or all but the newest. Returns the bytes that were dropped.
    fileprivate mutating func shorten(by excess: Int) -> Int {
        let before = costOfOlder
        list.shorten(to: list.cost - excess, .older)
        history.shorten(to: list.cost, .older)
        return before - costOfOlder
    }
}
