import HeapModule

/// A list and its past, as a start has restored it.
///
/// Unchecked, because one thread makes it, and does nothing with it once another one has it.
struct RecoveredList: @unchecked Sendable {
    let heading: ListHeading
    let list: JournalledList
    var history: History
    /// The time of its newest change that ages.
    var lastChange: RunningTime?
}

/// Lists as a start restores them, in the order of their numbers: together their pasts never take more than the budget.
///
/// As in `PastBudget`, the past of the list that was changed least recently is cut first, of those that are there so far. What
/// goes before all are there would go then too: the more lists there are, the more has to go.
struct RecoveredPasts {
    private(set) var lists: [RecoveredList] = []
    /// What their pasts take of the budget without the newest change of each, in bytes.
    private var cost = 0
    private let costMax: Int
    /// Those that may have more than their newest change.
    private var leastRecent: Heap<Place> = []

    /// In the order of their changes.
    private struct Place: Comparable {
        let index: Int
        let time: Int

        static func < (one: Self, other: Self) -> Bool { (one.time, one.index) < (other.time, other.index) }
    }

    init(limits: HistoryLimits) { costMax = limits.lengthInAllMax }

    mutating func append(_ list: RecoveredList) {
        lists.append(list)
        leastRecent.insert(place(of: lists.count - 1))
        cost += list.costOfOlder
        while cost > costMax, let place = leastRecent.min {
            cost -= lists[place.index].shorten(by: cost - costMax)
            if cost > costMax { leastRecent.removeMin() }
        }
    }

    private func place(of index: Int) -> Place {
        Place(index: index, time: lists[index].lastChange?.milliseconds ?? 0)
    }

    /// The one that changed last comes last.
    var inOrderOfChanges: [RecoveredList] { lists.indices.map(place).sorted().map { lists[$0.index] } }

    /// Each goes on in a new epoch, but for what is shared: what is missing of a shared list comes from its log again, so a
    /// revision of it stands for one state in any case.
    mutating func beginEpochs() {
        for index in lists.indices where lists[index].heading.access.sharing == nil {
            let epoch = Epoch.random()
            lists[index].list.mapStates { $0.inEpoch(epoch) }
            lists[index].history = lists[index].history.mapStates { $0.inEpoch(epoch) }
        }
    }
}

extension RecoveredList {
    /// What its past takes of the budget beside its newest change, in bytes.
    fileprivate var costOfOlder: Int { heading.deletion == nil ? list.cost - list.newestCost : 0 }

    /// Drops its oldest states: so many bytes, or more, or all but the newest. Returns how many.
    fileprivate mutating func shorten(by excess: Int) -> Int {
        let before = costOfOlder
        list.shorten(to: list.cost - excess, .older)
        history.shorten(to: list.cost, .older)
        return before - costOfOlder
    }
}
