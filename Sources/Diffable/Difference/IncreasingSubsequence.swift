// Which elements can stay where they are, when an old order becomes a new one.
//
// `ordinals` are the elements' positions in the old order, distinct, listed in the new order; a negative one has none
// and cannot stay. What stays keeps its order, and is as much as any choice could be. O(n · log n), close to O(n) when
// little is out of order.

/// A longest increasing subsequence: as many elements as can be stay. After M. L. Fredman, "On computing the length of
/// longest increasing subsequences", 1975.
func longestIncreasingSubsequence(ordinals: [Int32]) -> [Bool] {
    // Nothing is read before it was written, so nothing is made zero first.
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: 3 * ordinals.count) { memory in
        /// The smallest ordinal that a subsequence of each length so far ends with, and the element that has it.
        let ends = UnsafeMutableBufferPointer(rebasing: memory[..<ordinals.count])
        let endElements = UnsafeMutableBufferPointer(rebasing: memory[ordinals.count..<2 * ordinals.count])
        let predecessors = UnsafeMutableBufferPointer(rebasing: memory[(2 * ordinals.count)...])
        var length = 0
        ordinals.withUnsafeBufferPointer { ordinals in
            for element in ordinals.indices where ordinals[element] >= 0 {
                let ordinal = ordinals[element]
                var position = length
                if length > 0 && ends[length - 1] > ordinal {
                    position = lowerBound(of: ordinal, in: ends, count: length)
                }
                predecessors[element] = position > 0 ? endElements[position - 1] : -1
                ends[position] = ordinal
                endElements[position] = Int32(truncatingIfNeeded: element)
                if position == length { length += 1 }
            }
        }
        return staying(
            of: ordinals.count, from: length > 0 ? endElements[length - 1] : -1, UnsafeBufferPointer(predecessors))
    }
}

/// How many of the first `count` are smaller. Which half to go on with is computed and not branched on: with a random
/// order, every other branch would be guessed wrong. Said with a shift, because the compiler makes branches of a choice
/// and of a mask.
private func lowerBound(of ordinal: Int32, in ends: UnsafeMutableBufferPointer<Int32>, count: Int) -> Int {
    var low = 0
    var rest = count
    while rest > 0 {
        let half = (rest &+ 1) >> 1
        // No ordinal is negative, so the sign of a difference tells: 32 when the end is not smaller, and 0 when it is.
        let notSmaller = (ordinal &- 1 &- ends[low &+ half &- 1]) >> 26 & 32
        low &+= half &>> Int(notSmaller)
        rest &-= half
    }
    return low
}

/// A heaviest increasing subsequence: what stays weighs as much in all as it can. After G. Jacobson and K.-P. Vo,
/// "Heaviest increasing/common subsequence problems", 1992.
func heaviestIncreasingSubsequence(ordinals: [Int32], weights: [UInt32]) -> [Bool] {
    /// The ends of the best subsequences so far, ascending both in ordinal and in weight.
    var ends: [(ordinal: Int32, weight: Int, element: Int32)] = []
    var predecessors = [Int32](repeating: -1, count: ordinals.count)

    for element in ordinals.indices where ordinals[element] >= 0 {
        let ordinal = ordinals[element]
        let position = ends.lowerBound(of: ordinal)
        var weight = Int(weights[element])
        if position > 0 {
            weight += ends[position - 1].weight
            predecessors[element] = ends[position - 1].element
        }
        // Ends that are further on and weigh no more can lead to nothing better.
        var beyond = position
        while beyond < ends.count && ends[beyond].weight <= weight { beyond += 1 }
        let end = (ordinal: ordinal, weight: weight, element: Int32(element))
        if beyond == position + 1 {
            ends[position] = end
        } else if position == ends.count {
            ends.append(end)
        } else {
            ends.replaceSubrange(position..<beyond, with: CollectionOfOne(end))
        }
    }
    return predecessors.withUnsafeBufferPointer { staying(of: ordinals.count, from: ends.last?.element ?? -1, $0) }
}

/// The last element that stays and all before it.
private func staying(of count: Int, from last: Int32, _ predecessors: UnsafeBufferPointer<Int32>) -> [Bool] {
    var stays = [Bool](repeating: false, count: count)
    stays.withUnsafeMutableBufferPointer { stays in
        var element = last
        while element >= 0 {
            stays[Int(element)] = true
            element = predecessors[Int(element)]
        }
    }
    return stays
}

extension [(ordinal: Int32, weight: Int, element: Int32)] {
    /// How many ends have a smaller ordinal.
    fileprivate func lowerBound(of ordinal: Int32) -> Int {
        guard let last, last.ordinal >= ordinal else { return count }
        var low = 0
        var high = count - 1
        while low < high {
            let middle = (low + high) / 2
            if self[middle].ordinal < ordinal { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
