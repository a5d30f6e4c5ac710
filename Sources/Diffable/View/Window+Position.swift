// The position of a window depends on two values only: the rows that the subscriber was sent, and the rows that there are
// now. So a subscriber that reads slowly, or comes back with `since`, gets the same window as any other with the same rows.

extension Window {
    /// The position of a window.
    package struct Position: Hashable, Sendable {
        /// The number of rows before it.
        package var offset: Int
        /// The item that is the anchor now; nil for a window without one, and without rows.
        package var anchor: ItemID?

        package init(offset: Int, anchor: ItemID?) {
            self.offset = offset
            self.anchor = anchor
        }
    }

    /// The rows that a subscriber was sent, and their position.
    package struct Sent: Sendable {
        package var snapshot: Snapshot
        /// Nil if they are the whole view.
        package var extent: Extent?
        /// The item that was the anchor.
        package var anchor: ItemID?
        /// The number of rows; the parents of the first one are not counted.
        package var numberOfRows: Int

        package init(snapshot: Snapshot, extent: Extent?, anchor: ItemID?, numberOfRows: Int) {
            self.snapshot = snapshot
            self.extent = extent
            self.anchor = anchor
            self.numberOfRows = numberOfRows
        }
    }

    /// The position in a list's rows, for a subscriber who has been sent something. O(1) for a plain offset, O(log n) for an
    /// anchor that the list has, otherwise O(rows sent · log n).
    ///
    /// - Parameters:
    ///   - sent: the rows that the subscriber has; nil for a new one.
    ///   - isSameView: whether these were sent for the same view. If not, the view's own offset and anchor count.
    package func position(in rows: Snapshot, after sent: Sent?, isSameView: Bool) -> Position {
        let total = rows.numberOfItems
        switch start {
        case .offset(var offset):
            if let sent, !keep.isEmpty {
                if isSameView, let extent = sent.extent { offset = extent.offset }
                offset += shift(in: rows, since: sent)
            }
            // No window is empty while there are rows.
            if offset >= total { offset = total - limit }
            return Position(offset: max(offset, 0), anchor: nil)
        case .anchor(let requested):
            guard total > 0 else { return Position(offset: 0, anchor: nil) }
            let wanted = isSameView ? sent?.anchor ?? requested : requested
            if let index = rows.index(ofItem: wanted) { return position(at: index, wanted) }
            let index = sent.flatMap { replacement(of: wanted, in: rows, since: $0, isSameView) } ?? 0
            return position(at: index, rows.item(atRow: index))
        }
    }

    private func position(at index: Int, _ anchor: ItemID?) -> Position {
        Position(offset: max(index - before, 0), anchor: anchor)
    }

    /// The number of rows by which the first item of `keep` that did not move has come down.
    private func shift(in rows: Snapshot, since sent: Sent) -> Int {
        let candidates = keep.filter { sent.row(of: $0) != nil && rows.contains($0) }
        guard let first = candidates.first.flatMap(sent.row) else { return 0 }
        let steady = Dictionary(uniqueKeysWithValues: sent.steadyRows(around: first, in: rows).map { ($0.item, $0) })
        return candidates.lazy.compactMap { steady[$0] }.first.map { $0.index - $0.row } ?? 0
    }

    /// The row of the item that took the place of an anchor; nil if nothing is known of that place.
    private func replacement(of anchor: ItemID, in rows: Snapshot, since sent: Sent, _ isSameView: Bool) -> Int? {
        guard let row = sent.row(of: anchor) ?? (isSameView ? sent.extent?.offset : nil) else { return nil }
        let steady = sent.steadyRows(around: row, in: rows)
        let end = steady.firstIndex { $0.row > row } ?? steady.count
        if end < steady.count { return steady[end].index }
        let last = rows.numberOfItems - 1
        return min(end > 0 ? steady[end - 1].index + 1 : row, last)
    }
}

extension Window.Sent {
    /// An item of the rows that were sent, which the list still has.
    fileprivate struct Steady {
        var item: ItemID
        /// Its row when it was sent, and now.
        var row: Int
        var index: Int
    }

    /// The parents of the first row, which are not rows of the window.
    private var numberOfParents: Int { snapshot.numberOfItems - numberOfRows }

    /// The row of an item that was sent as a row.
    fileprivate func row(of item: ItemID) -> Int? {
        guard let index = snapshot.index(ofItem: item) else { return nil }
        let parents = numberOfParents
        return index < parents ? nil : (extent?.offset ?? 0) + index - parents
    }

    /// The rows that did not move: those of the longest run in the old and the new order. Of several runs as long, the one
    /// whose rows have come up or down least, and then the one that ends first. At most `Self.rowsMax` rows are looked at.
    fileprivate func steadyRows(around row: Int, in rows: Snapshot) -> [Steady] {
        let (first, items) = self.rows(around: row)
        var left: [Steady] = []
        left.reserveCapacity(items.count)
        var isInOrder = true
        for (number, item) in items.enumerated() {
            guard let index = rows.index(ofItem: item) else { continue }
            if let last = left.last, last.index > index { isInOrder = false }
            left.append(Steady(item: item, row: first + number, index: index))
        }
        return isInOrder ? left : Self.longestRun(of: left)
    }

    private static let rowsMax = 10_000

    /// The rows that were sent, and the number of the first one; of very many, those around one row.
    private func rows(around row: Int) -> (first: Int, [ItemID]) {
        let (offset, parents) = (extent?.offset ?? 0, numberOfParents)
        if snapshot.numberOfItems <= Self.rowsMax + parents {
            return (offset, Array(snapshot.itemIdentifiers.dropFirst(parents)))
        }
        let start = max(row - offset + parents - Self.rowsMax / 2, parents)
        let part = Window(start: .offset(start), limit: Self.rowsMax).extract(from: snapshot).snapshot
        let count = min(Self.rowsMax, snapshot.numberOfItems - start)
        return (offset + start - parents, part.itemIdentifiers.suffix(count))
    }

    private struct Run {
        var length = 0
        var cost = 0
        /// The number of its last row.
        var last = -1

        func isBetter(than other: Run) -> Bool {
            if length != other.length { return length > other.length }
            if cost != other.cost { return cost < other.cost }
            return last < other.last
        }
    }

    private static func longestRun(of rows: [Steady]) -> [Steady] {
        let sorted = rows.indices.sorted { rows[$0].index < rows[$1].index }
        var ranks = [Int](repeating: 0, count: rows.count)
        for (rank, number) in sorted.enumerated() { ranks[number] = rank + 1 }
        // The best runs by the rank of their last row, as a tree of maxima over prefixes.
        var best = [Run](repeating: Run(), count: rows.count + 1)
        var previous = [Int](repeating: -1, count: rows.count)
        var longest = Run()
        for (number, row) in rows.enumerated() {
            var run = Run()
            var rank = ranks[number] - 1
            while rank > 0 {
                if best[rank].length > 0, run.length == 0 || best[rank].isBetter(than: run) { run = best[rank] }
                rank -= rank & -rank
            }
            previous[number] = run.last
            run = Run(length: run.length + 1, cost: run.cost + abs(row.index - row.row), last: number)
            if longest.length == 0 || run.isBetter(than: longest) { longest = run }
            rank = ranks[number]
            while rank <= rows.count {
                if best[rank].length == 0 || run.isBetter(than: best[rank]) { best[rank] = run }
                rank += rank & -rank
            }
        }
        var run: [Steady] = []
        var number = longest.last
        while number >= 0 {
            run.append(rows[number])
            number = previous[number]
        }
        return run.reversed()
    }
}

extension Snapshot {
    /// The item at an index of `itemIdentifiers`; nil beyond its end. O(log n).
    package func item(atRow row: Int) -> ItemID? {
        guard row >= 0, row < numberOfItems else { return nil }
        var found: Handle?
        forest.forEachSection(fromItem: row) { section, rest in
            var (handle, rest) = forest.child(atOffset: rest, under: section)
            while rest > 0 { (handle, rest) = forest.child(atOffset: rest - 1, under: handle) }
            found = handle
            return false
        }
        return found.map(itemID)
    }
}
