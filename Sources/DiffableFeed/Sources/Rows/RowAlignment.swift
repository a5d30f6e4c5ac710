import Glibc

/// Finds which rows of the last state appear in the new one, by comparing images.
///
/// The rows of both states are read side by side. After a row that differs, the next one is expected as if that row had been
/// changed in place. If it is not there, it is searched for among all rows of the last state, so an inserted, deleted or moved
/// row costs one search. O(n) comparisons of bytes; unchanged rows are not parsed.
struct RowAlignment {
    struct Part: Equatable {
        var start: Int
        var count: Int
        /// The first row's old number; nil for a single row that differs.
        var old: Int?

        var range: Range<Int> { start..<start + count }
    }

    private(set) var parts: [Part] = []
    /// The rows of the last state that are in no part.
    private(set) var rest: [Range<Int>] = []

    /// Nil if too many rows differ, or if a row of the last state appears twice.
    init?(of new: RawRows, from old: RawRows) {
        // Rows that differ are built one by one, which is slower than building the whole state again.
        let othersMax = new.count / 4 + 16
        guard align(new, old, othersMax: othersMax), findRest(of: old.count, restMax: othersMax) else { return nil }
    }

    private mutating func align(_ new: RawRows, _ old: RawRows, othersMax: Int) -> Bool {
        var search = RowSearch(old)
        var (position, expected, others, othersInARow) = (0, 0, 0, 0)
        while position < new.count {
            let count = Self.countOfSame(new, position, old, expected)
            if count > 0 {
                parts.append(Part(start: position, count: count, old: expected))
                (position, expected, othersInARow) = (position + count, expected + count, 0)
                continue
            }
            // A single changed row needs no search.
            if othersInARow > 0, let found = search.find(new, position) {
                expected = found
                continue
            }
            parts.append(Part(start: position, count: 1))
            (position, expected, others, othersInARow) = (position + 1, expected + 1, others + 1, othersInARow + 1)
            if others > othersMax { return false }
        }
        return true
    }

    private static func countOfSame(_ new: RawRows, _ position: Int, _ old: RawRows, _ expected: Int) -> Int {
        let countMax = min(new.count - position, old.count - expected)
        guard countMax > 0 else { return 0 }
        // Buffers, because this runs for each row of each state.
        return new.bytes.withUnsafeBytes { bytes in
            old.bytes.withUnsafeBytes { oldBytes in
                guard let base = bytes.baseAddress, let oldBase = oldBytes.baseAddress else { return 0 }
                var start = new.range(position).lowerBound
                var oldStart = old.range(expected).lowerBound
                for index in 0..<countMax {
                    let (end, oldEnd) = (new.ends[position + index], old.ends[expected + index])
                    guard end - start == oldEnd - oldStart, memcmp(base + start, oldBase + oldStart, end - start) == 0
                    else { return index }
                    (start, oldStart) = (end, oldEnd)
                }
                return countMax
            }
        }
    }

    /// Returns false if a row was used twice, or too many rows are left.
    private mutating func findRest(of count: Int, restMax: Int) -> Bool {
        var (next, total) = (0, 0)
        let taken = parts.compactMap { part in part.old.map { $0..<$0 + part.count } }
        for range in taken.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound < next { return false }
            if range.lowerBound > next { rest.append(next..<range.lowerBound) }
            total += range.lowerBound - next
            next = range.upperBound
        }
        if next < count { rest.append(next..<count) }
        return total + count - next <= restMax
    }
}

private struct RowSearch {
    private let rows: RawRows
    /// Row numbers by the hash of the image, or -1; built on first use. At least half of the table is free.
    private var table: [Int32] = []

    init(_ rows: RawRows) { self.rows = rows }

    mutating func find(_ others: RawRows, _ index: Int) -> Int? {
        if table.isEmpty { fill() }
        let image = others.bytes[others.range(index)]
        return find(image) { number in rows.bytes[rows.range(number)].elementsEqual(image) }.row
    }

    private mutating func fill() {
        table = [Int32](repeating: -1, count: 2 << (Int.bitWidth - rows.count.leadingZeroBitCount))
        for number in 0..<rows.count {
            // No two rows of a state are equal, because each has its own id.
            let place = find(rows.bytes[rows.range(number)]) { _ in false }.place
            table[place] = Int32(number)
        }
    }

    private func find(_ image: ArraySlice<UInt8>, _ isMeant: (Int) -> Bool) -> (row: Int?, place: Int) {
        // `Hasher` has a random seed in each process, so a source cannot choose rows that collide.
        var hasher = Hasher()
        image.withUnsafeBytes { hasher.combine(bytes: $0) }
        var place = hasher.finalize() & (table.count - 1)
        while table[place] >= 0 {
            if isMeant(Int(table[place])) { return (Int(table[place]), place) }
            place = (place + 1) & (table.count - 1)
        }
        return (nil, place)
    }
}
