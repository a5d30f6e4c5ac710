import Diffable

extension UnrelatedLists {
    /// Returns the diff algorithms by name, without those for which the lists are too long.
    func engines(for name: String) -> [(String, () -> Void)] {
        var engines: [(String, () -> Void)] = [
            ("diffable", { precondition(!difference.isEmpty) }),
            ("Heckel", { precondition(!heckelDifference.moves.isEmpty) }),
        ]
        // Its time is quadratic in the number of differences: a shuffled list would take days.
        if name == "mix", old.count <= 100_000 {
            engines.append(("standard library", { precondition(!standardLibraryDifference.isEmpty) }))
        }
        return engines
    }

    /// The number of the diff's moves, and the least possible number.
    var moves: (made: Int, fewest: Int) {
        let moved = difference.reduce(into: 0) { count, operation in
            if case .moveItem = operation { count += 1 }
        }
        let places = Dictionary(uniqueKeysWithValues: oldIDs.enumerated().map { ($1, $0) })
        let survivors = newIDs.compactMap { places[$0] }
        return (moved, survivors.count - Self.lengthOfLongestIncrease(survivors))
    }

    /// By patience sorting (M. Fredman, "On computing the length of longest increasing subsequences", 1975).
    private static func lengthOfLongestIncrease(_ numbers: [Int]) -> Int {
        // The smallest last number of an increasing subsequence of each length.
        var ends: [Int] = []
        for number in numbers {
            var low = 0, high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if ends[middle] < number { low = middle + 1 } else { high = middle }
            }
            if low == ends.count { ends.append(number) } else { ends[low] = number }
        }
        return ends.count
    }
}
