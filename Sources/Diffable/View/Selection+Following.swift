// Estimates the work of bringing rows up to date, without doing it, so that a caller with little time can leave it to
// the background. The unit is one look at 64 bytes of an item, which takes about a microsecond.

extension Snapshot {
    /// Whether the diff from another state is quick to compute, because they share all but a few pages of 32 items.
    ///
    /// O(pagesMax · log n), however different they are.
    package func sharesMostPages(with old: Snapshot, pagesMax: Int) -> Bool {
        forest.slots.sharesMostPages(with: old.forest.slots, pagesMax: pagesMax)
    }
}

extension Selection {
    /// The work of `evaluate`; nil if it is more than `max`. O(max).
    package func estimatedWork(of list: Snapshot, max: Int) -> Int? {
        var work = list.numberOfItems
        if work > max { return nil }
        var cursor = SnapshotCursor(list)
        while let element = cursor.next() {
            guard case .item(let record, _, _, _) = element else { continue }
            work += workOfMatching(record)
            if work > max { return nil }
        }
        return work
    }

    /// The work of `advance` from a selection that differs only in its expansion; nil if it is more than `max`.
    package func estimatedWork(of list: Snapshot, from previous: Expansion, max: Int) -> Int? {
        guard let folded = expansion.difference(from: previous) else { return estimatedWork(of: list, max: max) }
        var work = 0
        for id in folded {
            work += list.handle(id).map(list.forest.weight) ?? 1
            if work > max { return nil }
        }
        return work
    }

    /// The work of `advance`; nil if it is more than `max`. O(max).
    package func estimatedWork(of difference: [ListOperation], from old: Snapshot, to new: Snapshot, max: Int) -> Int? {
        var count = WorkEstimate(selection: self, old: old, new: new, max: max)
        return difference.allSatisfy { count.add($0) } ? count.work : nil
    }

    /// Returns the rows of a new state of a list, from the rows of an old state or, if that is more work, from the
    /// whole list. `difference` is the diff between the two states, if it is known.
    package func follow(_ shown: Snapshot, from old: Snapshot, to new: Snapshot, by difference: [ListOperation]?)
        -> Snapshot
    {
        let difference = difference ?? new.difference(from: old)
        let workMax = new.numberOfItems * (1 + terms)
        guard estimatedWork(of: difference, from: old, to: new, max: workMax) != nil else { return evaluate(new) }
        return advance(shown, from: old, to: new, by: difference)
    }

    fileprivate func workOfMatching(_ record: Record) -> Int { terms * (1 + record.contentLength / 64) }
}

private struct WorkEstimate {
    let selection: Selection
    let old: Snapshot
    let new: Snapshot
    let max: Int
    var work = 0
    /// Looks at siblings to find an item's place among them, by bisection.
    private let looksForPlace: Int

    init(selection: Selection, old: Snapshot, new: Snapshot, max: Int) {
        self.selection = selection
        self.old = old
        self.new = new
        self.max = max
        let levels = Int.bitWidth - new.numberOfItems.leadingZeroBitCount
        looksForPlace = levels * (selection.isSorted ? 1 + selection.terms : 1) / 4
    }

    /// Adds the work of an operation. Returns false if the work is too much.
    mutating func add(_ operation: ListOperation) -> Bool {
        switch operation {
        case .insertSections(let sections, _): return sections.allSatisfy { add($0.items) }
        case .insertItems(let items, _): return add(items)
        case .deleteItems(let ids, _): return ids.allSatisfy { add(old.handle($0).map(old.forest.weight)) }
        case .deleteSections(let ids, _): return ids.allSatisfy { add(old.handle($0).map(old.forest.weight)) }
        case .moveItem(let id, _):
            // Removed, inserted again, and checked again.
            return add(new.handle(id).map { new.forest.weight($0) * (2 + 2 * selection.terms) + looksForPlace })
        case .expandItems(let ids), .collapseItems(let ids):
            guard selection.expansion.followsList else { return add(ids.count) }
            return ids.allSatisfy { add(new.handle($0).map { new.forest.weight($0) + looksForPlace }) }
        case .reconfigureItems(let changes): return changes.allSatisfy { countChange($0.id) }
        case .reloadItems(let reloads): return reloads.allSatisfy { countChange($0.id) }
        default: return add(1)
        }
    }

    private mutating func add(_ looks: Int?) -> Bool {
        work += looks ?? 0
        return work <= max
    }

    private mutating func add(_ items: [Item]) -> Bool {
        items.allSatisfy { add(1 + selection.workOfMatching($0.record) + looksForPlace) && add($0.children) }
    }

    private mutating func countChange(_ id: ItemID) -> Bool {
        guard let handle = new.handle(id) else { return true }
        return add(1 + selection.workOfMatching(new.forest.record(handle)) + looksForPlace)
    }
}
