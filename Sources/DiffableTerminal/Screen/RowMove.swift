internal import DiffableView

/// A scroll within `rows` that the terminal makes itself: up by `distance`, or down if it is negative. Blank rows appear at the
/// other end.
struct RowMove: Equatable {
    var rows: Range<Int>
    var distance: Int

    /// The blank rows at the other end.
    var blankRows: Range<Int> {
        distance > 0 ? rows.upperBound - distance..<rows.upperBound : rows.lowerBound..<rows.lowerBound - distance
    }

    func apply(to cells: inout [Cell], columns: Int) {
        let old = cells
        for row in rows {
            let source = row + distance
            for column in 0..<columns {
                cells[row * columns + column] =
                    rows.contains(source) ? old[source * columns + column] : .blank(Style())
            }
        }
    }
}

extension RowMove {
    /// Returns the move that saves the most bytes, or nil if none is worth its own bytes.
    ///
    /// O(rows × columns). Each row that occurs once in the old screen and elsewhere in the new one votes for a distance. For the
    /// two distances with the most votes and for the layout's hint, the best run of rows is the one with the greatest sum of
    /// bytes saved (Kadane's algorithm).
    static func best(from old: CellRows, to new: CellRows, hint: Int?) -> RowMove? {
        let costs = (0..<new.rows).map { new.byteCount($0, over: $0, of: old) }
        guard costs.count(where: { $0 > 0 }) >= 3 else { return nil }
        var best: (move: RowMove, gain: Int)?
        for distance in distances(from: old, to: new, costs: costs, hint: hint) {
            guard let found = bestRun(from: old, to: new, costs: costs, distance: distance) else { continue }
            if found.gain > best?.gain ?? gainMin { best = found }
        }
        return best?.move
    }

    /// The bytes above which a move is worth it: its own sequences take about as many.
    private static let gainMin = 24

    private static func distances(from old: CellRows, to new: CellRows, costs: [Int], hint: Int?) -> [Int] {
        var places: [UInt64: Int?] = [:]
        // An unchanged row did not move.
        for row in 0..<old.rows where costs[row] > 0 {
            let fingerprint = old.fingerprint(row)
            // Blank rows and separators are everywhere, so they do not vote.
            places[fingerprint] = places.keys.contains(fingerprint) ? .some(nil) : .some(row)
        }
        var votes: [Int: Int] = [:]
        for (row, cost) in costs.enumerated() where cost > 0 {
            if let place = places[new.fingerprint(row)], let place { votes[place - row, default: 0] += cost }
        }
        votes[0] = nil
        let winners = votes.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(2).map(\.key)
        guard let hint, hint != 0, abs(hint) < new.rows, !winners.contains(hint) else { return winners }
        return winners + [hint]
    }

    private static func bestRun(
        from old: CellRows, to new: CellRows, costs: [Int], distance: Int
    ) -> (move: RowMove, gain: Int)? {
        var best: (rows: Range<Int>, gain: Int)?
        var start = 0
        var sum = 0
        for row in max(0, -distance)..<min(new.rows, new.rows - distance) {
            if sum <= 0 { (start, sum) = (row, 0) }
            sum += costs[row] - new.byteCount(row, over: row + distance, of: old)
            if sum > best?.gain ?? 0 { best = (start..<row + 1, sum) }
        }
        guard let best else { return nil }
        let rows =
            distance > 0
            ? best.rows.lowerBound..<best.rows.upperBound + distance
            : best.rows.lowerBound + distance..<best.rows.upperBound
        let move = RowMove(rows: rows, distance: distance)
        // The new rows are drawn on blanks instead of on the old rows.
        let loss = move.blankRows.reduce(0) {
            $0 + CellRows.wayLength + (0..<new.columns).count(where: isDrawn($1)) - costs[$1]
        }
        return (move, best.gain - loss)

        func isDrawn(_ row: Int) -> (Int) -> Bool {
            { column in new[row, column] != .blank(Style()) }
        }
    }
}
