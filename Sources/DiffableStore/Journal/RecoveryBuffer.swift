import HeapModule

/// A list and its past, as a start has restored it.
///
/// Unchecked, because one thread makes it, and does nothing with it once another one has it.
struct RecoveredList: @unchecked Sendable {
    let heading: ListHeading
    let list: JournalledList
    var history: History
    /// The time of its newest change that ages: of its last transaction, request with a key, or deletion.
    var lastChange: RunningTime?
}

/// Takes lists as a start restores them, in the order of their numbers, and hands them out in the order of their changes.
///
/// Meanwhile their pasts take no more than twice what `PastBudget` allows, beside the newest change of each. It is twice, because
/// after a crash it is not known yet what is too old, and that counts here. As there, the past of the list that was changed
/// least recently is cut first, of those that are here so far. What goes would go later too: the more lists there are, the more
/// has to go.
struct RecoveryBuffer {
    private(set) var lists: [RecoveredList] = []
    /// What their pasts take of the budget without the newest change of each, in bytes.
    private var cost = 0
    private let costMax: Int
    /// Those whose pasts may be cut. Deleted lists have a budget of their own.
    private var leastRecent: Heap<Place> = []

    /// In the order of their changes.
    private struct Place: Comparable {
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
    fileprivate var costOfOlder: Int { list.cost - list.newestCost }

    /// Drops its oldest states: so many bytes, or more, or all but the newest. Returns how many.
    fileprivate mutating func shorten(by excess: Int) -> Int {
        let before = costOfOlder
        list.shorten(to: list.cost - excess, .older)
        history.shorten(to: list.cost, .older)
        return before - costOfOlder
    }
}
