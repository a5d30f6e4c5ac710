// The position of a window depends on two values only: the rows that the subscriber was sent, and the current rows. So
// a subscriber that reads slowly, or resumes with `since`, gets the same window as any other with the same rows.

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

    /// The rows of the view when a subscriber was sent a part of them, and the position of that part.
    package struct Sent: Sendable {
        package var rows: Snapshot
        package var offset: Int
        /// The item that was the anchor.
        package var anchor: ItemID?

        package init(rows: Snapshot, offset: Int, anchor: ItemID?) {
            self.rows = rows
            self.offset = offset
            self.anchor = anchor
        }
    }

    /// Returns the position in a list's rows, for a subscriber that has been sent something. O(1) for a plain offset,
    /// O(log n) for an anchor that the list has, otherwise O(neighbours · log n).
    ///
    /// - Parameters:
    ///   - sent: the rows when the subscriber was sent some; nil for a new one.
    ///   - isSameView: whether these were sent for the same view. If not, the view's own offset and anchor count.
    package func position(in rows: Snapshot, after sent: Sent?, isSameView: Bool) -> Position {
        let total = rows.numberOfItems
        switch start {
        case .offset(var offset):
            if let sent, !keep.isEmpty {
                if isSameView { offset = sent.offset }
                offset += shift(in: rows, since: sent)
            }
            // Keeps a window from being empty while there are rows.
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

    /// Returns the number of rows by which the first steady item of `keep` has moved down.
    private func shift(in rows: Snapshot, since sent: Sent) -> Int {
        var near: (rows: Range<Int>, steady: [ItemID: Int]) = (0..<0, [:])
        for item in keep {
            guard let row = sent.rows.index(ofItem: item), rows.contains(item) else { continue }
            if !near.rows.contains(row) {
                let steady = sent.steadyRows(around: row, in: rows)
                let shifts = steady.map { ($0.item, $0.index - $0.row) }
                near = (sent.neighbours(of: row), Dictionary(uniqueKeysWithValues: shifts))
            }
            if let shift = near.steady[item] { return shift }
        }
        return 0
    }

    /// Returns the row of the item that took the place of an anchor; nil if that place is not known.
    private func replacement(of anchor: ItemID, in rows: Snapshot, since sent: Sent, _ isSameView: Bool) -> Int? {
        guard let row = sent.rows.index(ofItem: anchor) ?? (isSameView ? sent.offset : nil) else { return nil }
        let steady = sent.steadyRows(around: row, in: rows)
        let end = steady.firstIndex { $0.row > row } ?? steady.count
        if end < steady.count { return steady[end].index }
        return min(end > 0 ? steady[end - 1].index + 1 : row, rows.numberOfItems - 1)
    }
}

extension Window.Sent {
    /// An item that the list still has.
    fileprivate struct SurvivingItem {
        var item: ItemID
        /// The item's row when it was sent. `index` is its row now.
        var row: Int
        var index: Int
    }

    /// The number of rows before and after a row that show whether it has moved.
    package static let neighboursMax = 128

    fileprivate func neighbours(of row: Int) -> Range<Int> {
        max(row - Self.neighboursMax, 0)..<min(row + Self.neighboursMax + 1, rows.numberOfItems)
    }

    /// Returns the rows near a row that did not move: the rows of the longest run in the old and the new order. Of
    /// several runs of equal length, it takes the one whose rows have moved up or down least, and then the one that
    /// ends first.
    fileprivate func steadyRows(around row: Int, in list: Snapshot) -> [SurvivingItem] {
        let near = neighbours(of: row)
        let part = Window(start: .offset(near.lowerBound), limit: near.count).extract(from: rows).snapshot
        var left: [SurvivingItem] = []
        left.reserveCapacity(near.count)
        var isInOrder = true
        // The parents of the first row come before it.
        for (row, item) in zip(near, part.itemIdentifiers.suffix(near.count)) {
            guard let index = list.index(ofItem: item) else { continue }
            if let last = left.last, last.index > index { isInOrder = false }
            left.append(SurvivingItem(item: item, row: row, index: index))
        }
        return isInOrder ? left : Self.longestRun(of: left)
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

    private static func longestRun(of rows: [SurvivingItem]) -> [SurvivingItem] {
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
        var run: [SurvivingItem] = []
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
